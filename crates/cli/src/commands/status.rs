//! `status`: who is signed in, how much is open, whether the server answers.

use client::http::{ServerCheck, ServerUrl, check_server};
use domain::Timestamp;
use engine::view::{Counts, Remembered, SessionPhase};
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::output;
use crate::profile::Profile;

pub(crate) async fn run(profile: &Profile) -> Result<Exit, Failure> {
    let client = profile.reading().await?;
    let view = client.session().await?;
    let (counts, last_pull_at) = match client.engine() {
        Ok(engine) => (engine.store().counts(Timestamp(0)).await?, engine.store().last_pull_at().await?),
        Err(_) => (Counts::default(), None),
    };
    let account = view.account.map(|account| Remembered {
        server: account.server,
        tenant: account.tenant_slug,
        username: account.username,
    });
    let place = account.or(view.remembered);
    let (tenant, username) = (place.as_ref().map(|place| &place.tenant), place.as_ref().map(|place| &place.username));
    let server = place.as_ref().map(|place| &place.server);
    let reachable = match server.and_then(|server| ServerUrl::parse(server).ok()) {
        Some(server) => Some(matches!(check_server(&server).await, ServerCheck::Ours { .. })),
        None => None,
    };
    // Memory vaults and expiry are known to the process that is signed in only; what is stored decides here.
    let signed_in = view.phase == SessionPhase::SignedIn;
    if profile.json {
        output::document(&json!({
            "signed_in": signed_in,
            "tenant": tenant,
            "username": username,
            "counts": counts.by_state,
            "open": counts.open,
            "needs_attention": counts.needs_attention,
            "last_pull_at": last_pull_at,
            "server_reachable": reachable,
        }));
        return Ok(Exit::Done);
    }
    let or_nobody = |text: Option<&String>| text.map_or_else(|| "-".to_owned(), |text| output::tame(text));
    let answers = match reachable {
        Some(true) => "answers",
        Some(false) => "does not answer",
        None => "-",
    };
    output::table(&[
        vec!["signed in".to_owned(), if signed_in { "yes" } else { "no" }.to_owned()],
        vec!["organization".to_owned(), or_nobody(tenant)],
        vec!["user".to_owned(), or_nobody(username)],
        vec!["open changes".to_owned(), counts.open.to_string()],
        vec!["need you".to_owned(), counts.needs_attention.to_string()],
        vec!["last read".to_owned(), last_pull_at.map_or_else(|| "never".to_owned(), |at| at.to_string())],
        vec!["server".to_owned(), format!("{} {answers}", or_nobody(server))],
    ]);
    Ok(Exit::Done)
}
