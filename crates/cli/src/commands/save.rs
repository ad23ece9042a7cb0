//! Making one intent durable, and saying so: the end of every editing command. Works without the network.

use client::Client;
use client::system::SystemIds;
use domain::payload::Child;
use domain::{CaseId, EntityId, EntityKind, Payload};
use engine::delivery::StateName;
use engine::engine::{Engine, Intent};
use engine::ports::Ids;
use engine::view::{CaseDetail, Saved};
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::output;
use crate::profile::Profile;

/// Saves what a person wants and prints what it became.
pub(crate) async fn save(
    profile: &Profile,
    client: &Client,
    case_id: Option<CaseId>,
    payload: Payload,
) -> Result<Exit, Failure> {
    let engine = client.engine()?;
    let made = payload.child();
    let saved = engine.save(Intent { intent_id: SystemIds.new_id(), case_id, payload }).await?;
    print_saved(profile, &engine, &saved).await;
    if let (Some(Child::New(kind, id)), false) = (made, profile.json) {
        output::line(&format!("{} {id}", kind.name()));
    }
    client.close().await;
    Ok(Exit::Done)
}

/// Prints `{"case_id","command_id","state"}`. It is saved: that its state cannot be read now does not undo it.
pub(crate) async fn print_saved(profile: &Profile, engine: &Engine, saved: &Saved) {
    let row = engine.store().row(saved.command_id).await.ok().flatten();
    let state = row.map_or(StateName::Queued, |row| row.delivery.name());
    if profile.json {
        output::document(&json!({ "case_id": saved.case_id, "command_id": saved.command_id, "state": state }));
    } else {
        output::line(&format!("Saved on this computer: case {}, change {}", saved.case_id, saved.command_id));
    }
}

/// The case that a note or a task belongs to, known by its id alone.
pub(crate) async fn case_of(engine: &Engine, kind: EntityKind, id: EntityId) -> Result<CaseId, Failure> {
    let found = engine.store().case_of(kind, id).await?;
    found.ok_or_else(|| Failure::bad_data(format!("{} {id} is not known on this computer", kind.name())))
}

/// The case as it is shown here, with pending changes applied.
pub(crate) async fn shown_case(engine: &Engine, id: CaseId) -> Result<CaseDetail, Failure> {
    let detail = engine.store().case_detail(id, engine.ambient()).await?;
    detail.ok_or_else(|| Failure::bad_data(format!("case {id} is not known on this computer")))
}
