//! Importing another system's cases, by the real program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use super::Place;
use crate::support::database::Site as _;
use crate::support::process::{Process, run, set_up};

fn import(place: &Place, map: &Path, file: &Path) -> (Option<i32>, String, String) {
    let arguments = ["import", "--tenant", "acme", "--map", map.to_str().unwrap(), file.to_str().unwrap()];
    let Output { status, stdout, stderr } = run(place, &arguments, "");
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

const MAP: &str = r#"
external_id = "{no}"
title = "{what}"
address = "{street} {house}"
latitude = "{lat}"
due_on = { from = "{due}", date = "%m/%d/%Y" }
[defaults]
kind = "complaint"
priority = "normal"
title = "Case {no}"
[note]
text = "Came from {source}."
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn good_rows_are_kept_bad_ones_listed_and_a_second_import_doubles_nothing() {
    let place = Place::new();
    let folder = place.folder();
    set_up(&place);
    let server = Process::start(&place);
    let map = written(folder, "map.toml", MAP);
    let file = written(
        folder,
        "cases.jsonl",
        concat!(
            "{\"no\":\"1\",\"what\":\"Fence\",\"street\":\"Elm\",\"house\":4,\"lat\":33.25,\"due\":\"02/09/2016\",\"source\":\"x\"}\n",
            "{\"no\":\"2\",\"what\":null,\"lat\":null}\n",
            "\n",
            "{\"no\":\"3\",\"lat\":\"north\"}\n",
            "not json\n",
            "{\"no\":\"1\",\"what\":\"again\"}\n",
            "{\"what\":\"nameless\"}\n",
            "{\"no\":\"4\",\"what\":\"Last\"}",
        ),
    );
    let (code, out, err) = import(&place, &map, &file);
    assert_eq!((code, out.as_str()), (Some(2), "imported 3, already there 0, refused 4\n"), "{err}");
    for (line, why) in [(4, "latitude"), (5, "I-JSON"), (6, "line 1"), (7, "external_id")] {
        let named = err.lines().any(|text| text.contains(&format!("cases.jsonl:{line}: ")) && text.contains(why));
        assert!(named, "line {line}: {err}");
    }
    let (code, out, _) = import(&place, &map, &file);
    assert_eq!((code, out.as_str()), (Some(2), "imported 0, already there 3, refused 4\n"));

    let ana = server.sign_in().await;
    let feed = ana.feed().await;
    let cases: Vec<&Value> = feed.iter().filter(|item| item["type"] == "case").map(|item| &item["entity"]).collect();
    assert_eq!(cases.len(), 3);
    assert_eq!((&cases[0]["title"], &cases[0]["address"]), (&"Fence".into(), &"Elm 4".into()));
    assert_eq!((&cases[0]["latitude"], &cases[0]["due_on"]), (&33.25.into(), &"2016-02-09".into()));
    assert_eq!((&cases[1]["title"], &cases[1]["address"]), (&"Case 2".into(), &Value::Null));
    let notes: Vec<&Value> = feed.iter().filter(|item| item["type"] == "note").map(|item| &item["entity"]).collect();
    assert_eq!(notes.len(), 1);
    assert_eq!((&notes[0]["text"], &notes[0]["case_id"]), (&"Came from x.".into(), &cases[0]["id"]));
    assert!(run(&place, &["check"], "").status.success());
}

#[test]
fn csv_is_read_by_its_heading_with_line_numbers() {
    let place = Place::new();
    let folder = place.folder();
    set_up(&place);
    let map = written(folder, "map.toml", MAP);
    let text = "\u{feff}no,what,lat\n1,\"a \"\"quoted\"\"\nline\",1.5\n2,b\n3,c,x\n4,d,\n";
    let file = written(folder, "cases.csv", text);
    let (code, out, err) = import(&place, &map, &file);
    assert_eq!((code, out.as_str()), (Some(2), "imported 2, already there 0, refused 2\n"), "{err}");
    assert!(err.contains("cases.csv:4: ") && err.contains("cases.csv:5: latitude"), "{err}");
}

#[test]
fn what_cannot_be_imported_at_all_says_so() {
    let place = Place::new();
    let folder = place.folder();
    set_up(&place);
    let map = written(folder, "map.toml", MAP);
    let no_id = written(folder, "no_id.toml", "title = \"{what}\"");
    let file = written(folder, "cases.jsonl", "");
    let other = written(folder, "cases.xls", "");
    for (map, file) in
        [(&no_id, &file), (&map, &other), (&folder.join("none.toml"), &file), (&map, &folder.join("none.csv"))]
    {
        let (code, out, err) = import(&place, map, file);
        assert_eq!((code, out.as_str()), (Some(65), ""));
        assert!(err.starts_with("onceover-server: "), "{err}");
    }
    let arguments = ["import", "--tenant", "nobody", "--map", map.to_str().unwrap(), file.to_str().unwrap()];
    assert_eq!(run(&place, &arguments, "").status.code(), Some(65));
}

#[test]
fn the_city_cases_are_imported_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = root.join("../shared/data/cases.jsonl");
    if !data.exists() {
        println!("skipped: no data");
        return;
    }
    let place = Place::new();
    set_up(&place);
    let map = root.join("docs/import-map.toml");
    let (code, out, err) = import(&place, &map, &data);
    assert_eq!((code, out.as_str()), (Some(0), "imported 1666, already there 0, refused 0\n"), "{err}");
    let (code, out, _) = import(&place, &map, &data);
    assert_eq!((code, out.as_str()), (Some(0), "imported 0, already there 1666, refused 0\n"));
    assert!(run(&place, &["check"], "").status.success());
}
