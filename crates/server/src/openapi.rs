//! The interface as an OpenAPI document, described beside the routes and checked against them: the lists here are made
//! from the registry of operations, the problems and the entities, so that what is added there is missing nowhere.

mod answer;
mod command;
mod entity;
mod payload;
mod problem;
mod route;
mod shape;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use utoipa::openapi::path::{PathItem, PathsBuilder};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Server};
use wire::Code;

/// The name of the one way to show who one is.
const SECURITY: &str = "access_token";

const DESCRIPTION: &str = "The receiver of Onceover: it executes each command at most once for its key, answers every \
repeat with the first answer, and feeds what changed back to its clients. Every answer that is no 2xx is a `Problem`; a \
path that is not here is answered with 404 `not-found`, a method that is not here with 405 `method-not-allowed`. Bodies \
are I-JSON: doubled members, integers beyond 2^53-1 and nesting deeper than 64 are refused, and so are members that are \
not described. Answers may get more members.";

/// The document, as it is served.
static TEXT: LazyLock<String> =
    LazyLock::new(|| document().to_pretty_json().expect("the document is plain data with text keys"));

/// The document as JSON.
pub fn text() -> &'static str {
    &TEXT
}

/// The document.
pub fn document() -> OpenApi {
    let mut items: BTreeMap<&str, PathItem> = BTreeMap::new();
    for route in route::all() {
        let item = PathItem::new(route.method, route.operation);
        match items.get_mut(route.path) {
            Some(known) => known.merge_operations(item),
            None => drop(items.insert(route.path, item)),
        }
    }
    let paths = items.into_iter().fold(PathsBuilder::new(), |paths, (path, item)| paths.path(path, item));
    let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("oat_…");
    let token = token.description(Some("The access token of a session; it lives for some minutes."));
    let components = [answer::components(), command::components(), entity::components()];
    let components = components
        .into_iter()
        .flatten()
        .fold(ComponentsBuilder::new(), |components, (name, schema)| components.schema(name, schema));
    let components = components
        .response("NotFound", problem::response(404, &[Code::NotFound]))
        .response("MethodNotAllowed", problem::response(405, &[Code::MethodNotAllowed]))
        .security_scheme(SECURITY, SecurityScheme::Http(token.build()));
    let info = InfoBuilder::new().title("Onceover").version(env!("CARGO_PKG_VERSION")).description(Some(DESCRIPTION));
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some([Server::new("/")]))
        .paths(paths.build())
        .components(Some(components.build()))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_and_every_reference_is_in_the_document() {
        let text = text();
        for code in Code::ALL {
            assert!(text.contains(&format!("`{}`: ", code.name())), "{code:?}");
        }
        let document: serde_json::Value = serde_json::from_str(text).unwrap();
        let (mut rest, mut references) = (text, 0);
        while let Some((_, after)) = rest.split_once("#/components/schemas/") {
            let (name, after) = after.split_once('"').unwrap();
            assert!(document["components"]["schemas"][name].is_object(), "{name}");
            (rest, references) = (after, references + 1);
        }
        assert!(references > 100);
    }
}
