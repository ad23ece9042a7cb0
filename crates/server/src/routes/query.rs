//! Reads query strings strictly: an unknown or doubled parameter is refused, as an unknown member is.

use std::collections::HashMap;

use axum::extract::Query;
use http::Uri;
use wire::Problem;

use crate::command::read::malformed;

/// The parameters of `uri`, all of which `names` must know.
pub fn read(uri: &Uri, names: &[&str]) -> Result<HashMap<String, String>, Problem> {
    let Query(pairs) =
        Query::<Vec<(String, String)>>::try_from_uri(uri).map_err(|_| malformed("The query", "cannot be read"))?;
    let mut parameters = HashMap::new();
    for (name, value) in pairs {
        if !names.contains(&name.as_str()) {
            return Err(malformed("The query", "has a parameter that this route does not know"));
        }
        if parameters.insert(name, value).is_some() {
            return Err(malformed("The query", "has the same parameter twice"));
        }
    }
    Ok(parameters)
}
