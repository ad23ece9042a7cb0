//! What is not whole is found, and said in words.

use domain::Role;
use onceover_server::execution::AuditEntry;
use serde_json::json;

use super::Server;
use crate::support::{a_case, command, id};

async fn faults(server: &Server) -> Vec<String> {
    server.storage.check().await.unwrap().faults
}

/// Each kind of damage is told, whatever else is damaged.
#[tokio::test]
async fn damage_of_each_kind_is_found() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let sue = server.person("acme", "sue", Role::Supervisor).await;
    let case = a_case("t");
    assert_eq!(ana.send(&case).await.status, 201);
    let (note, tag) = (id(), command("tag.add", &case.target(), json!({ "tag": "x" })));
    let add = command("note.add", &case.target(), json!({ "note_id": note, "text": "x" }));
    assert_eq!(ana.send(&tag).await.status, 200);
    assert_eq!(ana.send(&add).await.status, 201);
    let (entry, task) = (id(), id());
    let log = json!({ "entry_id": entry, "minutes": 5, "worked_on": "2026-11-30" });
    assert_eq!(ana.send(&command("time.log", &case.target(), log)).await.status, 201);
    let todo = command("task.add", &case.target(), json!({ "task_id": task, "title": "x" }));
    assert_eq!(ana.send(&todo).await.status, 201);
    let assign = command("case.assign", &case.target(), json!({ "from": null, "to": ana.actor_id() }));
    assert_eq!(sue.send(&assign).await.status, 200);
    server.assert_whole().await;

    let (case, tag, add, todo, assign) = (case.target(), tag.id(), add.id(), todo.id(), assign.id());
    for (sql, words) in [
        (format!("update entity set revision = 9 where entity_id = '{note}'"), format!("note {note} has the body of another, or of another revision")),
        (format!("update entity set seq = 9000 where entity_id = '{note}'"), "the feed goes up to 9000, the head is ".to_owned()),
        (format!("update entity set revision = 0 where entity_id = '{entry}'"), format!("time_entry {entry} is at position ")),
        (format!("update entity set deleted = true where entity_id = '{task}'"), format!("task {task} is gone and has a body")),
        (format!("delete from entity where entity_type = 'activity' and entity_id = '{add}'"), format!("the committed command {add} has no effect")),
        (format!("update entity set seq = 9001 where entity_type = 'activity' and entity_id = '{todo}'"), format!("the receipt of {todo} names position ")),
        (format!("update command set outcome = 'failed', entity_revision = null where command_id = '{tag}'"), format!("was made by {tag}, which is not committed")),
        (String::new(), format!("the audit says that {tag} was committed, and it has no record")),
        (format!("update entity set visible_to = null where entity_type = 'notification' and entity_id = '{assign}'"), format!("notification {assign} is not to be seen by its reader alone")),
        ("update case_number set last = 0".to_owned(), "is in use, the last one given in that year is 0".to_owned()),
        ("update actor set role = 'admin' where username = 'ana'".to_owned(), "user ana has another role than its history says".to_owned()),
        (String::new(), "user ana is not in the feed as stored".to_owned()),
        ("update tenant set receipts_passed = 900".to_owned(), "receipts of 900 audit entries had their time".to_owned()),
        ("update tenant set tombstone_floor = 99000".to_owned(), "tombstones were removed up to 99000".to_owned()),
        (format!("delete from entity where entity_type = 'case' and entity_id = '{case}'"), format!("note {note} is of a case that is not there")),
    ] {
        if !sql.is_empty() {
            server.place.sql(&sql).await;
        }
        let faults = faults(&server).await;
        let is_told = |fault: &&String| fault.starts_with("tenant acme: ") && fault.contains(&words);
        assert_eq!(faults.iter().filter(is_told).count(), 1, "{sql}: {words} in {faults:#?}");
    }
}

/// A change to what the audit says, or to the order in which it does, is found wherever it is made.
#[tokio::test]
async fn the_audit_is_found_out_if_it_was_touched() {
    let server = Server::start().await;
    let copy = "insert into audit (tenant_id, seq, hash, command_id, idempotency_key, actor_id, entity_type, entity_id,
                    operation, result, session_version, issued_under, request_id, occurred_at)
                select tenant_id, 4, hash, command_id, idempotency_key, actor_id, entity_type, entity_id, operation,
                       result, session_version, issued_under, request_id, occurred_at from audit where seq = 3";
    let swap = "update audit set seq = 9 where seq = 2 and {t}; update audit set seq = 2 where seq = 3 and {t};
                update audit set seq = 3 where seq = 9";
    for (slug, damage, words) in [
        ("whole", "", &[][..]),
        ("changed", "update audit set code = 'forbidden' where seq = 2", &["audit entry 2 is not what was written"]),
        ("removed", "delete from audit where seq = 2", &["audit entries 2 to 2 are missing"]),
        ("inserted", copy, &["audit entry 4 is not what was written", "the audit ends with entry 4, not with entry 3 as written"]),
        ("swapped", swap, &["audit entry 2 is not what was written", "audit entry 3 is not what was written", "the audit ends with"]),
        ("truncated", "delete from audit where seq = 3", &["the audit ends with entry 2, not with entry 3 as written"]),
    ] {
        let tenant = server.storage.add_tenant(slug, slug, server.now()).await.unwrap();
        for n in ["1", "2", "3"] {
            let entry = AuditEntry {
                command_id: id(),
                key: n.to_owned(),
                actor_id: n.to_owned(),
                entity_type: "case".to_owned(),
                entity_id: n.to_owned(),
                operation: "tag.add".to_owned(),
                previous_revision: None,
                next_revision: None,
                result: "rejected".into(),
                code: None,
                authority: None,
                session_version: 1,
                issued_under: 1,
                request_id: n.to_owned(),
                occurred_at: server.now(),
            };
            server.storage.audit_refusal(tenant, entry).await.unwrap();
        }
        if !damage.is_empty() {
            let of_tenant = format!("tenant_id = '{tenant}'");
            let damage = if damage.contains("{t}") { damage.replace("{t}", &of_tenant) } else { format!("{damage} and {of_tenant}") };
            server.place.past_the_audits_guard(&damage).await;
        }
        let prefix = format!("tenant {slug}: ");
        let found: Vec<String> = faults(&server).await.iter().filter_map(|fault| fault.strip_prefix(&prefix).map(str::to_owned)).collect();
        assert_eq!(found.len(), words.len(), "{slug}: {found:#?}");
        for (found, words) in found.iter().zip(words) {
            assert!(found.starts_with(words), "{slug}: {found}");
        }
    }
}
