//! Which window may call what, read from the capability and permission files and held against the list here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::table::rows;

/// The whole list, a line a command: a window that may call more or less than this fails the test.
const ALLOWED: [(&str, &[&str], &[&str]); 4] = [
    (
        "main",
        &["main"],
        &[
            "session_state",
            "probe_server",
            "sign_in",
            "sign_out",
            "acknowledge_damage",
            "sync_status",
            "versions",
            "sync_now",
            "set_paused",
            "case_page",
            "case_detail",
            "view_counts",
            "members",
            "case_create",
            "case_edit",
            "case_transition",
            "case_assign",
            "note_add",
            "tag_add",
            "tag_remove",
            "outbox_page",
            "outbox_detail",
            "outbox_retry",
            "outbox_retry_all",
            "outbox_confirm",
            "outbox_ask",
            "outbox_seal",
            "outbox_discard",
            "open_case_window",
            "open_sync_centre",
            "open_conflict_window",
            "window_kind",
            "set_window_title",
        ],
    ),
    (
        "case",
        &["case-*"],
        &[
            "session_state",
            "sync_status",
            "versions",
            "sync_now",
            "set_paused",
            "case_detail",
            "members",
            "case_edit",
            "case_transition",
            "case_assign",
            "note_add",
            "tag_add",
            "tag_remove",
            "outbox_detail",
            "outbox_retry",
            "outbox_confirm",
            "outbox_ask",
            "outbox_seal",
            "outbox_discard",
            "open_case_window",
            "open_sync_centre",
            "open_conflict_window",
            "window_kind",
            "set_window_title",
        ],
    ),
    (
        "sync",
        &["sync"],
        &[
            "session_state",
            "sync_status",
            "versions",
            "sync_now",
            "set_paused",
            "case_detail",
            "members",
            "outbox_page",
            "outbox_detail",
            "outbox_retry",
            "outbox_retry_all",
            "outbox_confirm",
            "outbox_ask",
            "outbox_seal",
            "outbox_discard",
            "open_case_window",
            "open_sync_centre",
            "open_conflict_window",
            "window_kind",
            "set_window_title",
        ],
    ),
    (
        "conflict",
        &["conflict-*"],
        &[
            "session_state",
            "sync_status",
            "versions",
            "case_detail",
            "members",
            "outbox_detail",
            "outbox_discard",
            "outbox_resolve",
            "open_case_window",
            "open_sync_centre",
            "open_conflict_window",
            "window_kind",
            "set_window_title",
        ],
    ),
];

/// What every window may ask of Tauri itself: to hear signals, to be zoomed, and to close. (The page's own
/// `window.close()` would leave an empty window standing.)
const OF_TAURI: [&str; 4] = [
    "core:event:allow-listen",
    "core:event:allow-unlisten",
    "core:webview:allow-set-webview-zoom",
    "core:window:allow-close",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Capability {
    #[serde(rename = "$schema")]
    _schema: String,
    identifier: String,
    #[serde(rename = "description")]
    _description: String,
    local: bool,
    windows: Vec<String>,
    permissions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PermissionFile {
    permission: Vec<Permission>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Permission {
    identifier: String,
    #[serde(rename = "description")]
    _description: String,
    commands: Commands,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Commands {
    allow: Vec<String>,
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src-tauri").join(folder);
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn permissions() -> BTreeMap<String, Vec<String>> {
    let read = |path: &PathBuf| toml::from_str::<PermissionFile>(&fs::read_to_string(path).unwrap()).unwrap();
    let all = files("permissions").iter().flat_map(|path| read(path).permission).collect::<Vec<_>>();
    all.into_iter().map(|permission| (permission.identifier, permission.commands.allow)).collect()
}

fn capabilities() -> BTreeMap<String, Capability> {
    let read = |path: &PathBuf| serde_json::from_slice::<Capability>(&fs::read(path).unwrap()).unwrap();
    files("capabilities").iter().map(read).map(|capability| (capability.identifier.clone(), capability)).collect()
}

#[test]
fn each_kind_of_window_may_call_exactly_what_is_listed() {
    let (capabilities, permissions) = (capabilities(), permissions());
    assert_eq!(capabilities.len(), ALLOWED.len());
    for (kind, windows, commands) in ALLOWED {
        let capability = &capabilities[kind];
        assert!(capability.local, "{kind}");
        assert_eq!(capability.windows, windows, "{kind}");
        let mut granted = BTreeSet::new();
        let mut of_tauri = Vec::new();
        for permission in &capability.permissions {
            match permissions.get(permission) {
                Some(commands) => granted.extend(commands.iter().map(String::as_str)),
                None => of_tauri.push(permission.as_str()),
            }
        }
        assert_eq!(of_tauri, OF_TAURI, "{kind}");
        assert_eq!(granted, commands.iter().copied().collect(), "{kind}");
    }
}

#[test]
fn every_command_is_granted_by_one_permission_and_to_some_window() {
    let mut granted: Vec<String> = permissions().into_values().flatten().collect();
    granted.sort();
    let mut commands: Vec<&str> = rows().iter().map(|row| row.name).collect();
    commands.sort_unstable();
    assert_eq!(granted, commands);
    let listed: BTreeSet<&str> = ALLOWED.iter().flat_map(|(_, _, commands)| commands.iter().copied()).collect();
    assert_eq!(listed, commands.into_iter().collect());
}
