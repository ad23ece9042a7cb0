//! What the server answers: sessions, receipts, the state of operations, its settings, and problems.

use domain::{Operation, Role};
use serde_json::{Value, json};
use utoipa::openapi::Schema;
use wire::{Code, KnownEffect, Retry};

use super::shape::{
    anything, closed, id, key, list, moment, named, one_of, only, open, optional, pattern, required, text, truth,
    whole, whole_from, words_up_to,
};

/// The components that answers, and the requests of sessions, are made of.
pub(super) fn components() -> Vec<(String, Schema)> {
    let components = [
        ("SignIn", sign_in()),
        ("Refresh", refresh()),
        ("Presence", closed("Which case the actor is at.", vec![required("case_id", id())])),
        ("Lookup", super::command::lookup()),
        ("SessionInfo", open("Who is signed in, with the rights of now.", session_members())),
        ("Session", session()),
        ("Receipt", receipt()),
        ("OperationStatus", open("What the server knows about an operation.", status_members())),
        ("OperationStatuses", statuses()),
        ("BatchResults", batch_results()),
        ("Config", config()),
        ("Health", open("That it is so.", vec![required("status", one_of(["ok", "ready"]))])),
        ("Problem", problem()),
    ];
    components.map(|(name, schema)| (name.to_owned(), schema)).to_vec()
}

fn sign_in() -> Schema {
    let members = ["tenant", "username", "password", "device_id", "device_name"];
    closed("Who wants to sign in, from where.", members.map(|name| required(name, words_up_to(1000))).into())
}

fn refresh() -> Schema {
    let members = ["refresh_token", "device_id"];
    closed("A refresh token, used from its device.", members.map(|name| required(name, words_up_to(1000))).into())
}

fn session_members() -> Vec<super::shape::Member> {
    let tenant =
        open("The organization.", vec![required("id", id()), required("slug", text()), required("name", text())]);
    let actor = open(
        "The person.",
        vec![
            required("id", id()),
            required("username", text()),
            required("display_name", text()),
            required("role", one_of(Role::ALL.map(Role::name))),
            required("rights", list(one_of(Operation::ALL.map(Operation::name)), None)),
        ],
    );
    vec![
        required("session_id", id()),
        required("session_version", whole_from(1)),
        required("tenant", tenant),
        required("actor", actor),
    ]
}

fn session() -> Schema {
    let mut members = session_members();
    members.extend([
        required("access_token", pattern("^oat_")),
        required("access_expires_in_s", whole(1, 600)),
        required("refresh_token", pattern("^ort_")),
    ]);
    open("A session: who is signed in, and the tokens.", members)
}

fn receipt() -> Schema {
    let fence = open(
        "What the answer must match to be the asked command's.",
        vec![
            required("tenant_id", id()),
            required("actor_id", id()),
            required("session_version", whole_from(0)),
            required("payload_hash", text()),
            required("entity_type", text()),
            required("entity_id", id()),
            required("entity_revision", whole_from(1)),
        ],
    );
    let result = open(
        "What was created or changed.",
        vec![required("type", text()), required("id", id()), required("revision", whole_from(1))],
    );
    open(
        "Proof that a command is committed. A repeat gets the same bytes.",
        vec![
            required("operation_id", id()),
            required("state", only("committed")),
            required("fence", fence),
            required("result", result),
            required("feed_position", whole_from(0)),
            required("committed_at", moment()),
            optional("receipt_reduced", truth()),
        ],
    )
}

fn status_members() -> Vec<super::shape::Member> {
    vec![
        required("operation_id", id()),
        required("state", one_of(["not_seen", "processing", "committed", "failed"])),
        required("final", truth()),
        optional("result", named("Receipt")),
        optional("problem", named("Problem")),
        required("as_of", moment()),
    ]
}

fn statuses() -> Schema {
    let mut members = status_members();
    members.push(required("idempotency_key", key()));
    let found = open("One key, and what is known about its operation.", members);
    open("In the order of the keys.", vec![required("results", list(found, Some(wire::LOOKUP_KEYS_MAX)))])
}

fn batch_results() -> Schema {
    let body = anything("The body that the command alone would have got: a `Receipt` or a `Problem`.");
    let result = open(
        "What became of one command.",
        vec![
            required("idempotency_key", anything("As it was sent.")),
            required("status", whole(200, 599)),
            required("body", body),
        ],
    );
    open("In the order of the commands.", vec![required("results", list(result, Some(wire::BATCH_COMMANDS_MAX)))])
}

fn config() -> Schema {
    let limits = ["body_bytes", "batch_bytes", "batch_commands", "lookup_keys", "changes"];
    open(
        "What a client needs to know about this server.",
        vec![
            required("receipt_lifetime", pattern("^P[0-9]+D$")),
            required("tombstone_lifetime", pattern("^P[0-9]+D$")),
            required("purge_horizon", moment()),
            required("feed_epoch", text()),
            required("server_time", moment()),
            required("schema_versions", list(whole_from(1), None)),
            required("limits", open("Of requests.", limits.map(|name| required(name, whole_from(1))).into())),
        ],
    )
}

fn problem() -> Schema {
    let error = open(
        "A member that is missing or out of its domain.",
        vec![required("pointer", text()), required("detail", text())],
    );
    open(
        "Why something was not done (RFC 9457). `code` is the interface; texts are for people.",
        vec![
            required("type", pattern("^urn:onceover:problem:")),
            required("title", text()),
            required("status", whole(400, 599)),
            required("detail", text()),
            required("code", one_of(Code::ALL.iter().map(|code| code.name()))),
            required("effect", one_of(effects())),
            required("retry", one_of(retries())),
            optional("operation_id", id()),
            optional("reason", text()),
            optional("errors", list(error, None)),
            optional("current_revision", whole_from(1)),
            optional("current", anything("What the fields that moved hold now.")),
            optional("conflicting_fields", list(text(), None)),
            optional("receipt_reduced", truth()),
        ],
    )
}

fn effects() -> Vec<&'static str> {
    let name = |effect: &KnownEffect| match effect {
        KnownEffect::None => "none",
        KnownEffect::Committed => "committed",
        KnownEffect::Unknown => "unknown",
    };
    [KnownEffect::None, KnownEffect::Committed, KnownEffect::Unknown].iter().map(name).collect()
}

fn retries() -> Vec<&'static str> {
    let name = |retry: &Retry| match retry {
        Retry::Never => "never",
        Retry::SameKey => "same_key",
        Retry::SameKeyAfterLogin => "same_key_after_login",
        Retry::SameKeyAfterGrant => "same_key_after_grant",
        Retry::SameKeyAfterConfirmation => "same_key_after_confirmation",
        Retry::SameKeyAfterDependency => "same_key_after_dependency",
        Retry::NewKeyAfterChange => "new_key_after_change",
        Retry::Reconcile => "reconcile",
    };
    let all = [
        Retry::Never,
        Retry::SameKey,
        Retry::SameKeyAfterLogin,
        Retry::SameKeyAfterGrant,
        Retry::SameKeyAfterConfirmation,
        Retry::SameKeyAfterDependency,
        Retry::NewKeyAfterChange,
        Retry::Reconcile,
    ];
    all.iter().map(name).collect()
}

/// The receipt of the example of `case.transition`.
pub(super) fn receipt_example() -> Value {
    let command = super::command::example(Operation::CaseTransition);
    let target = command["target"]["id"].clone();
    json!({
        "operation_id": command["command_id"], "state": "committed",
        "fence": {
            "tenant_id": "0197f3c2-5a10-7000-8000-0000000000f1", "actor_id": "0197f3c2-5a10-7000-8000-0000000000a1",
            "session_version": 7, "payload_hash": command["payload_hash"],
            "entity_type": "case", "entity_id": target, "entity_revision": 4,
        },
        "result": { "type": "case", "id": target, "revision": 4 },
        "feed_position": 9001, "committed_at": "2026-11-30T09:12:01.004Z",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_described_is_what_is_written() {
        let problem = wire::Problem::new(Code::RateLimited, "x");
        let written = serde_json::to_value(&problem).unwrap();
        assert!(effects().contains(&written["effect"].as_str().unwrap()));
        for code in Code::ALL {
            let (_, effect, retry, _) = code.meaning();
            assert!(effects().contains(&json!(effect).as_str().unwrap()));
            assert!(retries().contains(&json!(retry).as_str().unwrap()));
        }
        let receipt: wire::Receipt = serde_json::from_value(receipt_example()).unwrap();
        assert_eq!(serde_json::to_value(receipt).unwrap(), receipt_example());
    }
}
