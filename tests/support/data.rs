//! A city's case list and what happened to it in two weeks: the real one where it lies beside the repository, else a
//! small generated one of the same form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde::Deserialize;
use serde_json::Value;

/// One case as the city lists it: its columns, by name.
pub type Columns = BTreeMap<String, Value>;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "fields")]
pub enum Happening {
    /// A case was opened.
    Opened(Columns),
    /// Columns of a case changed: before and after.
    Changed(BTreeMap<String, (Value, Value)>),
}

/// One line of the history.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Event {
    /// Whose.
    pub case_number: String,
    /// What.
    #[serde(flatten)]
    pub happening: Happening,
}

/// The list and what happened to it.
pub struct City {
    /// The list as JSON lines, for `onceover-server import`.
    pub cases: String,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Whether it is the real one.
    pub is_real: bool,
}

/// The real city if its files are there; `None`, said on standard error, if not.
///
/// # Panics
/// When a file is there and cannot be read as what it should be.
pub fn real_city() -> Option<City> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let Ok(cases) = std::fs::read_to_string(folder.join("cases.jsonl")) else {
        eprintln!("skipped: no data");
        return None;
    };
    let history = std::fs::read_to_string(folder.join("history.jsonl")).expect("the history lies beside the cases");
    let events = history.lines().map(|line| serde_json::from_str(line).expect("a line of the history")).collect();
    Some(City { cases, events, is_real: true })
}

const WORDS: [&str; 8] =
    ["INOP VEHICLE", "ROACHES", "NO HEAT", "FENCE, LEANING", "Trash & debris", "GARAGE CONV", "Loose handrail", ""];
const KINDS: [&str; 3] = ["Initial Inspection", "Reinspection", "Monitor"];

/// A small city of the same form, the same for the same seed.
pub fn generated_city(seed: u64, cases: usize, events: usize) -> City {
    let mut random = StdRng::seed_from_u64(seed);
    let mut known: Vec<Columns> = (0..cases).map(|index| new_case(&mut random, index)).collect();
    let text: String = known.iter().map(|case| serde_json::to_string(case).expect("plain") + "\n").collect();
    let mut history = Vec::new();
    for index in 0..events {
        if random.random_range(0..5) < 2 {
            let case = new_case(&mut random, cases + index);
            history.push(Event { case_number: number_of(&case), happening: Happening::Opened(case.clone()) });
            known.push(case);
        } else {
            let place = random.random_range(0..known.len());
            history.push(change(&mut random, &mut known[place]));
        }
    }
    City { cases: text, events: history, is_real: false }
}

fn new_case(random: &mut StdRng, index: usize) -> Columns {
    let pick = |random: &mut StdRng, from: &[&str]| Value::from(*from.choose(random).expect("not empty"));
    BTreeMap::from([
        ("case_number".to_owned(), Value::from(format!("CE-{:06}", 100_000 + index))),
        ("address".to_owned(), Value::from(format!("{} CEDAR AVE", random.random_range(100..9999)))),
        ("description".to_owned(), pick(random, &WORDS)),
        ("district".to_owned(), Value::from(random.random_range(1..10))),
        ("opened_on".to_owned(), Value::from(format!("09/{:02}/2016", random.random_range(1..31)))),
        ("last_inspection_on".to_owned(), Value::Null),
        ("last_inspection_type".to_owned(), Value::Null),
        ("latitude".to_owned(), Value::Null),
        ("longitude".to_owned(), Value::Null),
    ])
}

fn number_of(case: &Columns) -> String {
    case["case_number"].as_str().expect("cases have numbers").to_owned()
}

fn change(random: &mut StdRng, case: &mut Columns) -> Event {
    let mut fields = BTreeMap::new();
    let mut set = |column: &str, value: Value| {
        let before = case.insert(column.to_owned(), value.clone()).unwrap_or(Value::Null);
        if before != value {
            fields.insert(column.to_owned(), (before, value));
        }
    };
    if random.random_bool(0.3) {
        set("description", Value::from(*WORDS.choose(random).expect("not empty")));
    } else {
        set("last_inspection_on", Value::from(format!("10/{:02}/2016", random.random_range(1..31))));
        set("last_inspection_type", Value::from(*KINDS.choose(random).expect("not empty")));
    }
    Event { case_number: number_of(case), happening: Happening::Changed(fields) }
}
