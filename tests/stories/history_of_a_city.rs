//! Two weeks of a real city's code enforcement, done by three officers without a network, then drained while the
//! server dies and answers get lost: every command has one effect, and the cases equal a plain replay of the file.

#![allow(clippy::unwrap_used, reason = "a story ends where something it needs is not there")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::payload::{CaseCreate, CaseEdit, NoteAdd};
use domain::{Case, CaseField, CaseId, Change, Entity, FieldValue, NoteId, Payload, Status};
use engine::engine::{Engine, Intent, SyncOptions};
use onceover_tests::data::{City, Columns, Event, Happening, generated_city, real_city};
use onceover_tests::profile::Profile;
use onceover_tests::proxy::{Fault, Proxy};
use onceover_tests::server::{Server, TENANT};
use serde_json::Value;
use uuid::Uuid;

const OFFICERS: [&str; 3] = ["mara", "dana", "luis"];
/// How many requests pass between two kills of the server.
const REQUESTS_PER_KILL: usize = 150;

/// What a plain replay of the file says of one case: its fields, and how many notes it got.
#[derive(Debug, Clone, PartialEq, Default)]
struct Expected {
    fields: BTreeMap<CaseField, FieldValue>,
    notes: BTreeSet<String>,
}

type Replay = BTreeMap<String, Expected>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_of_two_weeks_has_one_effect() {
    let city = real_city().unwrap_or_else(|| generated_city(20_161_023, 120, 160));
    let mut server = Server::prepared(&OFFICERS.map(|user| (user, "officer")));
    server.add_user(TENANT, "priya", "viewer");
    import(&server, &city);
    let before: BTreeSet<String> = server.effects().into_keys().collect();
    server.start();

    let watcher = Profile::signed_in(&server.url(), "priya").await;
    watcher.engine().pull().await.unwrap();
    let mut expected = imported(&watcher.engine()).await;
    replay(&city.events, &mut expected);

    // Three profiles read everything, then the network goes.
    let requests = Arc::new(AtomicUsize::new(0));
    let proxy = Proxy::before(server.port(), {
        let requests = Arc::clone(&requests);
        move |_, line| fault_of(requests.fetch_add(1, Ordering::SeqCst), line)
    })
    .await;
    let mut officers = Vec::new();
    for user in OFFICERS {
        let profile = Profile::signed_in(&proxy.url(), user).await;
        while profile.engine().pull().await.is_err() {}
        officers.push(profile);
    }
    server.kill();
    proxy.set_down(true);
    let mut saved = BTreeSet::new();
    let mut ids = known_cases(&officers[0].engine()).await;
    for event in &city.events {
        let officer = &officers[officer_of(&event.case_number)];
        saved.extend(act(&officer.engine(), event, &mut ids).await);
    }

    // The network is back, and bad; the server dies again and again.
    proxy.set_down(false);
    server.start();
    let drains: Vec<_> = officers.iter().map(|officer| tokio::spawn(drain(officer.engine()))).collect();
    let mut killed_at = requests.load(Ordering::SeqCst);
    let mut kills = 0;
    while drains.iter().any(|drain| !drain.is_finished()) {
        if requests.load(Ordering::SeqCst) >= killed_at + REQUESTS_PER_KILL {
            killed_at = requests.load(Ordering::SeqCst);
            kills += 1;
            server.restart();
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    for drain in drains {
        drain.await.unwrap();
    }

    let effects = server.effects();
    assert!(effects.values().all(|count| *count == 1), "no command has two effects");
    let effects: BTreeSet<String> = effects.into_keys().filter(|command| !before.contains(command)).collect();
    assert_eq!(saved.difference(&effects).count(), 0, "what was saved took effect");
    assert_eq!(effects.difference(&saved).count(), 0, "and nothing else did");
    watcher.engine().pull().await.unwrap();
    let found = imported(&watcher.engine()).await;
    assert_eq!(found.len(), expected.len());
    for (number, case) in &expected {
        assert_eq!(found.get(number), Some(case), "{number} equals a plain replay");
    }
    println!(
        "{} city: {} commands of {} officers, {} requests, {kills} kills of the server",
        if city.is_real { "real" } else { "generated" },
        saved.len(),
        OFFICERS.len(),
        requests.load(Ordering::SeqCst)
    );
}

fn import(server: &Server, city: &City) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.jsonl");
    std::fs::write(&file, &city.cases).unwrap();
    let map = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/import-map.toml");
    server.admin(&["import", "--tenant", TENANT, "--map", map, file.to_str().unwrap()], "");
}

/// The fate of a request, the same for the same number: one in twelve commands loses its answer, one in twenty-five
/// of all requests never arrives.
fn fault_of(number: usize, line: &str) -> Fault {
    let spread = number.wrapping_mul(2_654_435_761) >> 7;
    if line.starts_with("POST /v1/commands") && spread.is_multiple_of(12) {
        Fault::CutAnswer
    } else if !line.contains("/v1/sessions") && spread % 25 == 1 {
        Fault::CutRequest
    } else {
        Fault::None
    }
}

/// All of a case's events are one officer's, so that their order is kept.
fn officer_of(case_number: &str) -> usize {
    case_number.bytes().map(usize::from).sum::<usize>() % OFFICERS.len()
}

async fn drain(engine: Arc<Engine>) {
    loop {
        let options = SyncOptions { deadline_ms: 20_000, ignore_backoff: true };
        if engine.sync_once(options).await.is_ok_and(|report| report.open == 0 && !report.unreachable) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// Every case of the list, by its number in the city's list.
async fn all_cases(engine: &Engine) -> Vec<Case> {
    let mut cases = Vec::new();
    loop {
        let query = engine::view::CaseQuery {
            sort: engine::view::CaseSort::Number,
            today: "2016-11-04".to_owned(),
            offset: u32::try_from(cases.len()).unwrap(),
            limit: 500,
            ..Default::default()
        };
        let page = engine.store().case_page(query, engine.ambient()).await.unwrap();
        for row in &page.rows {
            cases.push(engine.store().base(row.id).await.unwrap().case.unwrap());
        }
        if page.rows.is_empty() {
            return cases;
        }
    }
}

async fn known_cases(engine: &Engine) -> BTreeMap<String, CaseId> {
    let cases = all_cases(engine).await;
    cases.into_iter().filter_map(|case| Some((case.external_id?, case.id))).collect()
}

/// What the server holds, in the form of a replay.
async fn imported(engine: &Engine) -> Replay {
    let mut replay = Replay::new();
    for case in all_cases(engine).await {
        let base = engine.store().base(case.id).await.unwrap();
        let fields = CaseField::ALL.into_iter().map(|field| (field, field.get(&case))).collect();
        let note = |child| match child {
            Entity::Note(note) => Some(note.text),
            _ => None,
        };
        let notes = base.children.into_iter().filter_map(note).collect();
        replay.insert(case.external_id.unwrap_or_default(), Expected { fields, notes });
    }
    replay
}

fn replay(events: &[Event], cases: &mut Replay) {
    for event in events {
        match &event.happening {
            Happening::Opened(columns) => {
                let create = create_of(columns);
                let mut fields: BTreeMap<_, _> =
                    CaseField::ALL.into_iter().map(|field| (field, FieldValue::Empty)).collect();
                fields.extend(create.fields);
                cases.insert(event.case_number.clone(), Expected { fields, notes: BTreeSet::new() });
            }
            Happening::Changed(changes) => {
                let case = cases.get_mut(&event.case_number).expect("a changed case was opened");
                for (column, (_, after)) in changes {
                    match field_of(column) {
                        Some(field) => {
                            case.fields.insert(field, value_of(field, after));
                        }
                        None => {
                            case.notes.insert(visit_note(after));
                        }
                    }
                }
            }
        }
    }
}

/// The officer does what the event says; an edit and a note may come of one event.
async fn act(engine: &Engine, event: &Event, ids: &mut BTreeMap<String, CaseId>) -> Vec<String> {
    let mut payloads = Vec::new();
    match &event.happening {
        Happening::Opened(columns) => payloads.push(Payload::CaseCreate(create_of(columns))),
        Happening::Changed(changes) => {
            let shown = engine.store().case_detail(ids[&event.case_number], engine.ambient()).await.unwrap().unwrap();
            let edits: BTreeMap<_, _> = changes
                .iter()
                .filter_map(|(column, (_, after))| {
                    let field = field_of(column)?;
                    Some((field, Change { from: field.get(&shown.case), to: value_of(field, after) }))
                })
                // What the list says anew and the case says already is no change.
                .filter(|(_, change)| change.from != change.to)
                .collect();
            if !edits.is_empty() {
                payloads.push(Payload::CaseEdit(CaseEdit { changes: edits }));
            }
            if let Some((_, visited)) = changes.get("last_inspection_on") {
                payloads.push(Payload::NoteAdd(NoteAdd { note_id: NoteId(Uuid::now_v7()), text: visit_note(visited) }));
            }
        }
    }
    let mut saved = Vec::new();
    for payload in payloads {
        let intent = Intent { intent_id: Uuid::now_v7(), case_id: ids.get(&event.case_number).copied(), payload };
        let answer = engine.save(intent).await.expect("saving works without a network");
        ids.insert(event.case_number.clone(), answer.case_id);
        saved.push(answer.command_id.to_string());
    }
    saved
}

fn create_of(columns: &Columns) -> CaseCreate {
    let number = columns["case_number"].as_str().unwrap_or_default();
    let description = columns["description"].as_str().unwrap_or_default();
    let title = if description.trim().is_empty() { format!("Case {number}") } else { description.to_owned() };
    let mut fields = BTreeMap::from([
        (CaseField::Title, FieldValue::text(&title)),
        (CaseField::Kind, value_of(CaseField::Kind, &columns["last_inspection_type"])),
        (CaseField::Priority, FieldValue::text("normal")),
    ]);
    for column in ["description", "address", "district", "latitude", "longitude"] {
        let field = CaseField::named(column).expect("these columns are fields");
        fields.insert(field, value_of(field, &columns[column]));
    }
    fields.retain(|_, value| *value != FieldValue::Empty);
    CaseCreate { fields, status: Some(Status::Open), external_id: Some(number.to_owned()) }
}

/// The field a column of the list stands for; an inspection's date is no field but a visit that took place.
fn field_of(column: &str) -> Option<CaseField> {
    match column {
        "last_inspection_type" => Some(CaseField::Kind),
        "last_inspection_on" => None,
        _ => Some(CaseField::named(column).unwrap_or_else(|| panic!("unknown column {column}"))),
    }
}

fn value_of(field: CaseField, value: &Value) -> FieldValue {
    match field {
        CaseField::Kind => FieldValue::text(&slug(value.as_str().unwrap_or("enforcement"))),
        CaseField::District if value.is_number() => FieldValue::text(&value.to_string()),
        _ => FieldValue::read(value).expect("a text, a number or nothing"),
    }
}

fn slug(text: &str) -> String {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_").to_lowercase().chars().take(40).collect()
}

fn visit_note(visited: &Value) -> String {
    format!("Inspected on {}", visited.as_str().unwrap_or("an unknown day"))
}
