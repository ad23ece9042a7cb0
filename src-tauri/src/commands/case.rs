//! Reading cases, and saving what a person wants of them.

use domain::payload::{CaseAssign, CaseCreate, CaseEdit, CaseTransition, NoteAdd, Tag};
use domain::{CaseId, FieldValue, NoteId, Payload};
use engine::engine::Intent;
use engine::view::{CaseDetail, CasePage, Member, Saved, ViewCounts};
use tauri::State;
use uuid::Uuid;

use crate::ipc::{
    CaseAssignArgs, CaseCreateArgs, CaseDetailArgs, CaseEditArgs, CasePageArgs, CaseTransitionArgs, NoteAddArgs, Reply,
    TagArgs, ViewCountsArgs,
};
use crate::wiring::Desk;

/// A page of the list.
#[tauri::command]
pub(crate) async fn case_page(desk: State<'_, Desk>, args: CasePageArgs) -> Reply<CasePage> {
    let engine = desk.engine()?;
    Ok(engine.store().case_page(args.query, engine.ambient()).await?)
}

/// A case with everything its window shows.
#[tauri::command]
pub(crate) async fn case_detail(desk: State<'_, Desk>, args: CaseDetailArgs) -> Reply<Option<CaseDetail>> {
    let engine = desk.engine()?;
    Ok(engine.store().case_detail(args.id, engine.ambient()).await?)
}

/// How many cases each fixed view has.
#[tauri::command]
pub(crate) async fn view_counts(desk: State<'_, Desk>, args: ViewCountsArgs) -> Reply<ViewCounts> {
    Ok(desk.engine()?.store().view_counts(args.today).await?)
}

/// The people of the organization.
#[tauri::command]
pub(crate) async fn members(desk: State<'_, Desk>) -> Reply<Vec<Member>> {
    Ok(desk.engine()?.store().members().await?)
}

/// Makes a case.
#[tauri::command]
pub(crate) async fn case_create(desk: State<'_, Desk>, args: CaseCreateArgs) -> Reply<Saved> {
    let mut fields = args.fields;
    fields.retain(|_, value| *value != FieldValue::Empty);
    let payload = Payload::CaseCreate(CaseCreate { fields, status: args.status, external_id: None });
    save(&desk, args.intent_id, None, payload).await
}

/// Changes fields.
#[tauri::command]
pub(crate) async fn case_edit(desk: State<'_, Desk>, args: CaseEditArgs) -> Reply<Saved> {
    let payload = Payload::CaseEdit(CaseEdit { changes: args.changes });
    save(&desk, args.intent_id, Some(args.case_id), payload).await
}

/// Takes the case to another status.
#[tauri::command]
pub(crate) async fn case_transition(desk: State<'_, Desk>, args: CaseTransitionArgs) -> Reply<Saved> {
    let comment = args.comment.filter(|comment| !comment.is_empty());
    let payload = Payload::CaseTransition(CaseTransition { to: args.to, reason_code: args.reason_code, comment });
    save(&desk, args.intent_id, Some(args.case_id), payload).await
}

/// Gives the case to somebody, or to nobody.
#[tauri::command]
pub(crate) async fn case_assign(desk: State<'_, Desk>, args: CaseAssignArgs) -> Reply<Saved> {
    let payload = Payload::CaseAssign(CaseAssign { from: args.from, to: args.to });
    save(&desk, args.intent_id, Some(args.case_id), payload).await
}

/// Adds a note. Its id is the intent's: the same form makes the same note however often it is sent.
#[tauri::command]
pub(crate) async fn note_add(desk: State<'_, Desk>, args: NoteAddArgs) -> Reply<Saved> {
    let payload = Payload::NoteAdd(NoteAdd { note_id: NoteId(args.intent_id), text: args.text });
    save(&desk, args.intent_id, Some(args.case_id), payload).await
}

/// Adds a tag.
#[tauri::command]
pub(crate) async fn tag_add(desk: State<'_, Desk>, args: TagArgs) -> Reply<Saved> {
    save(&desk, args.intent_id, Some(args.case_id), Payload::TagAdd(Tag { tag: args.tag })).await
}

/// Removes a tag.
#[tauri::command]
pub(crate) async fn tag_remove(desk: State<'_, Desk>, args: TagArgs) -> Reply<Saved> {
    save(&desk, args.intent_id, Some(args.case_id), Payload::TagRemove(Tag { tag: args.tag })).await
}

async fn save(desk: &Desk, intent_id: Uuid, case_id: Option<CaseId>, payload: Payload) -> Reply<Saved> {
    Ok(desk.engine()?.save(Intent { intent_id, case_id, payload }).await?)
}
