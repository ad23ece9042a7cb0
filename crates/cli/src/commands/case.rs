//! `case`: looking at cases, and changing them here first.

use std::collections::BTreeMap;
use std::fmt::Display;

use clap::{Args, Subcommand};
use domain::payload::{CaseAssign, CaseCreate, CaseEdit, CaseTransition, Reason};
use domain::{ActorId, CaseField, CaseId, Change, FieldValue, Payload, Status};
use engine::engine::Engine;
use engine::view::{
    CaseDetail, CaseQuery, CaseRow, InspectionView, Mark, NoteView, NoticeView, TaskView, TimeEntryView,
};
use serde_json::json;

use super::fields::{Setting, check_set_once, field_named, names, value_of};
use super::save::{save, shown_case};
use crate::exit::{Exit, Failure};
use crate::output::{self, name_of, tame};
use crate::profile::Profile;

/// The most rows one page of the list has.
const PAGE_ROWS_MAX: u32 = 500;

/// `case …`.
#[derive(Debug, Subcommand)]
pub(crate) enum CaseCommand {
    /// List cases, by due date.
    List {
        /// Words that must occur in number, title, address or description.
        #[arg(long, value_name = "WORDS")]
        query: Option<String>,
        /// Only cases with this status.
        #[arg(long, value_name = "STATUS", value_parser = status)]
        status: Option<Status>,
        /// At most this many; without it, all.
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Show a case with its notes, its history and its pending changes.
    Show {
        /// The case.
        id: CaseId,
    },
    /// Open a new case.
    Create(Create),
    /// Change fields of a case.
    Edit {
        /// The case.
        id: CaseId,
        /// What a field shall hold; nothing after the = empties it.
        #[arg(long, required = true, value_name = "FIELD=VALUE")]
        set: Vec<Setting>,
    },
    /// Change the status of a case.
    Transition {
        /// The case.
        id: CaseId,
        /// The status it goes to.
        #[arg(long, value_name = "STATUS", value_parser = status)]
        to: Status,
        /// Why: a short code such as `evidence_complete`.
        #[arg(long, value_name = "CODE")]
        reason: String,
    },
    /// Give a case to somebody.
    Assign {
        /// The case.
        id: CaseId,
        /// The user name, or `none`.
        #[arg(long, value_name = "USERNAME")]
        to: String,
    },
    /// Archive a case: from then on it takes nothing but being restored.
    Archive {
        /// The case.
        id: CaseId,
        /// Why.
        #[arg(long)]
        reason: String,
    },
    /// Restore an archived case.
    Restore {
        /// The case.
        id: CaseId,
        /// Why.
        #[arg(long)]
        reason: String,
    },
}

/// `case create`.
#[derive(Debug, Args)]
pub(crate) struct Create {
    /// One line.
    #[arg(long)]
    title: String,
    /// A slug such as `complaint` or `inspection`.
    #[arg(long)]
    kind: String,
    /// `low`, `normal` (without it), `high` or `urgent`.
    #[arg(long)]
    priority: Option<String>,
    /// More fields; also `status=draft|open` and `external_id`.
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<Setting>,
}

fn status(name: &str) -> Result<Status, String> {
    let known = || Status::ALL.map(Status::name).join(", ");
    Status::named(name).ok_or_else(|| format!("the statuses are {}", known()))
}

pub(crate) async fn run(profile: &Profile, command: CaseCommand) -> Result<Exit, Failure> {
    match command {
        CaseCommand::List { query, status, limit } => list(profile, query, status, limit).await,
        CaseCommand::Show { id } => show(profile, id).await,
        CaseCommand::Create(create) => {
            let payload = created(create)?;
            let client = profile.writing().await?;
            save(profile, &client, None, payload).await
        }
        CaseCommand::Edit { id, set } => {
            check_set_once(names(&set))?;
            let client = profile.writing().await?;
            let payload = edited(&shown_case(client.engine()?.as_ref(), id).await?, &set)?;
            save(profile, &client, Some(id), payload).await
        }
        CaseCommand::Transition { id, to, reason } => {
            let client = profile.writing().await?;
            let payload = Payload::CaseTransition(CaseTransition { to, reason_code: reason, comment: None });
            save(profile, &client, Some(id), payload).await
        }
        CaseCommand::Assign { id, to } => {
            let client = profile.writing().await?;
            let engine = client.engine()?;
            let from = shown_case(&engine, id).await?.case.assignee_id;
            let to = if to == "none" { None } else { Some(member_named(&engine, &to).await?) };
            if from == to {
                return Err(Failure::bad_data("nothing would change: the case is assigned so already"));
            }
            save(profile, &client, Some(id), Payload::CaseAssign(CaseAssign { from, to })).await
        }
        CaseCommand::Archive { id, reason } => {
            let client = profile.writing().await?;
            save(profile, &client, Some(id), Payload::CaseArchive(Reason { reason })).await
        }
        CaseCommand::Restore { id, reason } => {
            let client = profile.writing().await?;
            save(profile, &client, Some(id), Payload::CaseRestore(Reason { reason })).await
        }
    }
}

async fn list(
    profile: &Profile,
    query: Option<String>,
    status: Option<Status>,
    limit: Option<u32>,
) -> Result<Exit, Failure> {
    let engine = profile.reading().await?.engine()?;
    let mut query = CaseQuery {
        text: query,
        statuses: status.into_iter().collect(),
        today: jiff::ZonedDateTime::now().date().to_string(),
        ..CaseQuery::default()
    };
    let mut rows: Vec<CaseRow> = Vec::new();
    let mut total = 0;
    loop {
        query.offset = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        query.limit = limit.unwrap_or(u32::MAX).saturating_sub(query.offset).min(PAGE_ROWS_MAX);
        if query.limit == 0 {
            break;
        }
        let page = engine.store().case_page(query.clone(), engine.ambient()).await?;
        total = page.total;
        if page.rows.is_empty() {
            break;
        }
        rows.extend(page.rows);
    }
    if profile.json {
        output::document(&rows);
    } else {
        output::table(&rows.iter().map(line_of).collect::<Vec<_>>());
        output::message(&format!("{} of {total} cases", rows.len()));
    }
    Ok(Exit::Done)
}

fn line_of(row: &CaseRow) -> Vec<String> {
    let mark = row.mark.as_ref().map(name_of).unwrap_or_default();
    let due = row.due_on.clone().unwrap_or_default();
    let number = row.number.clone().unwrap_or_else(|| "-".to_owned());
    vec![row.id.to_string(), number, row.status.name().to_owned(), tame(&due), mark, tame(&row.title)]
}

async fn show(profile: &Profile, id: CaseId) -> Result<Exit, Failure> {
    let engine = profile.reading().await?.engine()?;
    let detail = shown_case(&engine, id).await?;
    if profile.json {
        output::document(&json!({
            "case": detail.case,
            "notes": detail.notes.iter().map(|view| &view.note).collect::<Vec<_>>(),
            "tasks": detail.tasks.iter().map(|view| &view.task).collect::<Vec<_>>(),
            "time_entries": detail.time_entries.iter().map(|view| &view.entry).collect::<Vec<_>>(),
            "inspections": detail.inspections.iter().map(|view| &view.inspection).collect::<Vec<_>>(),
            "notices": detail.notices.iter().map(|view| &view.notice).collect::<Vec<_>>(),
            "timeline": detail.timeline,
            "pending": detail.pending,
        }));
    } else {
        print_case(&detail);
    }
    Ok(Exit::Done)
}

fn print_case(detail: &CaseDetail) {
    let case = &detail.case;
    let mut lines = vec![
        vec!["case".to_owned(), case.id.to_string()],
        vec!["number".to_owned(), case.number.clone().unwrap_or_else(|| "not given yet".to_owned())],
        vec!["status".to_owned(), case.status.name().to_owned()],
    ];
    for field in CaseField::ALL {
        let text = match field.get(case) {
            FieldValue::Empty => continue,
            FieldValue::Text(text) => tame(&text),
            FieldValue::Number(number) => number.to_string(),
        };
        lines.push(vec![field.name().to_owned(), text]);
    }
    if !case.tags.is_empty() {
        lines.push(vec!["tags".to_owned(), tame(&case.tags.join(", "))]);
    }
    if case.archived {
        lines.push(vec!["archived".to_owned(), "yes".to_owned()]);
    }
    output::table(&lines);
    print_children(detail);
    for change in &detail.pending {
        let what = change.operation.name();
        output::line(&format!("pending {}: {what}, {}", change.command_id, name_of(&change.mark)));
    }
}

/// A line for each thing that belongs to the case: its type, id and mark, then what it says.
fn print_children(detail: &CaseDetail) {
    let print = |what: &str, id: &dyn Display, mark: Option<&Mark>, said: &str| {
        let mark = mark.map(|mark| format!(" ({})", name_of(mark))).unwrap_or_default();
        output::line(&format!("{what} {id}{mark}: {}", tame(said)));
    };
    for NoteView { note, mark, .. } in &detail.notes {
        let redacted = note.redaction_reason.as_ref().map(|reason| format!("redacted: {reason}"));
        let said = if note.redacted { redacted.as_deref().unwrap_or("redacted") } else { &note.text };
        print("note", &note.id, mark.as_ref(), said);
    }
    for TaskView { task, mark, .. } in &detail.tasks {
        let due = task.due_on.as_ref().map(|due| format!(", due {due}")).unwrap_or_default();
        let said = format!("{}{due}, {}", task.title, if task.done { "done" } else { "open" });
        print("task", &task.id, mark.as_ref(), &said);
    }
    for TimeEntryView { entry, mark, .. } in &detail.time_entries {
        let note = entry.note.as_ref().map(|note| format!(", {note}")).unwrap_or_default();
        print("time", &entry.id, mark.as_ref(), &format!("{} min on {}{note}", entry.minutes, entry.worked_on));
    }
    for InspectionView { inspection, mark, .. } in &detail.inspections {
        let mut said = format!("{} on {}, {}", inspection.kind, inspection.inspected_on, inspection.outcome.name());
        for found in &inspection.findings {
            said = format!("{said}; {}: {}", found.severity.name(), found.text);
        }
        print("inspection", &inspection.id, mark.as_ref(), &said);
    }
    for NoticeView { notice, mark, .. } in &detail.notices {
        let said = format!("{} to {}: {}", notice.kind, notice.recipient, notice.body);
        print("notice", &notice.id, mark.as_ref(), &said);
    }
}

fn created(create: Create) -> Result<Payload, Failure> {
    let options = ["title", "kind"].into_iter().chain(create.priority.as_ref().map(|_| "priority"));
    check_set_once(options.chain(names(&create.set)))?;
    let mut fields = BTreeMap::from([
        (CaseField::Title, FieldValue::text(&create.title)),
        (CaseField::Kind, FieldValue::text(&create.kind)),
        (CaseField::Priority, FieldValue::text(create.priority.as_deref().unwrap_or("normal"))),
    ]);
    let (mut first_status, mut external_id) = (None, None);
    for Setting { name, value } in create.set {
        match name.as_str() {
            "status" => first_status = Some(status(&value).map_err(Failure::bad_data)?),
            "external_id" => external_id = Some(value).filter(|value| !value.is_empty()),
            _ => {
                let field = field_named(&name)?;
                fields.insert(field, value_of(field, &value)?);
            }
        }
    }
    Ok(Payload::CaseCreate(CaseCreate { fields, status: first_status, external_id }))
}

/// Each field from what the case shows here to what is set, if that is something else.
fn edited(detail: &CaseDetail, settings: &[Setting]) -> Result<Payload, Failure> {
    let mut changes = BTreeMap::new();
    for setting in settings {
        let field = field_named(&setting.name)?;
        let change = Change { from: field.get(&detail.case), to: value_of(field, &setting.value)? };
        if change.from != change.to {
            changes.insert(field, change);
        }
    }
    if changes.is_empty() {
        return Err(Failure::bad_data("nothing would change: the case holds this already"));
    }
    Ok(Payload::CaseEdit(CaseEdit { changes }))
}

async fn member_named(engine: &Engine, username: &str) -> Result<ActorId, Failure> {
    let members = engine.store().members().await?;
    let member = members.iter().find(|member| member.username == username && !member.disabled);
    member.map(|member| member.id).ok_or_else(|| {
        Failure::bad_data(format!("nobody named \"{username}\" is known on this computer; see onceover sync"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(texts: &[&str]) -> Vec<Setting> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn a_new_case_takes_its_status_and_external_id_from_the_settings() {
        let create = Create {
            title: "Heaters".to_owned(),
            kind: "complaint".to_owned(),
            priority: None,
            set: settings(&["status=open", "external_id=X-1", "latitude=51.5", "district="]),
        };
        let payload = created(create).unwrap().to_value();
        assert_eq!(payload["status"], "open");
        assert_eq!(payload["external_id"], "X-1");
        assert_eq!(payload["latitude"], 51.5);
        assert!(payload["district"].is_null());
    }

    #[test]
    fn a_field_that_is_set_twice_is_no_usage() {
        let creates = |priority: Option<&str>, set: &[&str]| {
            created(Create {
                title: "t".to_owned(),
                kind: "other".to_owned(),
                priority: priority.map(str::to_owned),
                set: settings(set),
            })
        };
        for (priority, set) in [
            (None, &["district=a", "district=b"][..]),
            (None, &["title=x"]),
            (Some("low"), &["priority=high"]),
            (None, &["status=open", "status=draft"]),
        ] {
            assert_eq!(creates(priority, set).unwrap_err().exit, Exit::Usage, "{set:?}");
        }
        assert_eq!(creates(None, &["priority=high"]).unwrap().to_value()["priority"], "high");
    }

    #[test]
    fn unknown_fields_and_statuses_are_bad_data() {
        for set in ["colour=red", "status=lost", "latitude=north"] {
            let create =
                Create { title: "t".to_owned(), kind: "other".to_owned(), priority: None, set: settings(&[set]) };
            assert_eq!(created(create).unwrap_err().exit, Exit::BadData, "{set}");
        }
    }
}
