//! What every database behind the storage port must do, told once.

use std::sync::Arc;

use domain::{
    ActorId, CaseId, Command, CommandId, EntityId, Expected, NoteId, Operation, Payload, Role, TenantId, Timestamp,
};
use onceover_server::command::{Attempt, Sender};
use onceover_server::execution::Outcome;
use onceover_server::password;
use onceover_server::storage::rows::Rotate;
use onceover_server::storage::{
    AdminError, Asker, AuditFilter, LookedUp, NewSession, NewUser, Rotation, Seal, Sealing, Storage, UserChange,
};
use serde_json::{Value, json};
use uuid::Uuid;
use wire::{IdempotencyKey, Receipt, Target};

use super::Place;

const NOW: Timestamp = Timestamp(1_796_000_000_000);

/// A tenant with one officer who has signed in.
struct Office {
    storage: Arc<dyn Storage>,
    tenant: TenantId,
    actor: ActorId,
    session: Uuid,
}

impl Office {
    async fn open(storage: Arc<dyn Storage>, slug: &str) -> Self {
        let tenant = storage.add_tenant(slug, slug, NOW).await.unwrap();
        let user = NewUser {
            slug: slug.to_owned(),
            username: "ana".to_owned(),
            display_name: "Ana".to_owned(),
            role: Role::Officer,
            password_hash: password::UNUSABLE.to_owned(),
            disabled: false,
        };
        let actor = storage.add_user(user, NOW).await.unwrap();
        let session = Uuid::now_v7();
        let new = NewSession {
            tenant,
            actor,
            session,
            password_hash: password::UNUSABLE.to_owned(),
            device_id: "d".to_owned(),
            device_name: "D".to_owned(),
            refresh_hash: "h0".to_owned(),
            now: NOW,
        };
        assert!(storage.begin_session(new).await.unwrap().unwrap().is_valid);
        Self { storage, tenant, actor, session }
    }

    fn attempt(&self, operation: Operation, target: EntityId, value: &Value, expected: Option<Expected>) -> Attempt {
        let id = CommandId(Uuid::now_v7());
        let target_value = json!(Target::case(CaseId(target.0)));
        let payload = Payload::read(operation, value).unwrap();
        Attempt {
            tenant: self.tenant,
            sender: Sender::Session(self.session),
            key: IdempotencyKey::of(operation, target, id),
            payload_hash: wire::payload_hash(operation.name(), 1, &target_value, &json!(expected), value),
            command: Command { id, actor: self.actor, target, expected, payload, issued_at: NOW },
            confirmed_at: None,
            session_version: 1,
            issued_under: 1,
            request_id: "r".to_owned(),
            batch: None,
        }
    }

    fn create(&self, title: &str) -> Attempt {
        let value = json!({ "title": title, "kind": "other", "priority": "low", "status": "open" });
        self.attempt(Operation::CaseCreate, EntityId(Uuid::now_v7()), &value, None)
    }

    async fn execute(&self, group: Vec<Attempt>) -> Vec<onceover_server::command::Answer> {
        self.storage.execute(self.tenant, group.into(), NOW).await.unwrap().answers
    }

    fn asker(&self) -> Asker {
        Asker { tenant: self.tenant, actor: self.actor, sees_all: false }
    }
}

#[tokio::test]
async fn a_group_sees_its_earlier_members() {
    let place = Place::new();
    let storage = place.open().await;
    let office = Office::open(storage, "acme").await;
    let create = office.create("t");
    let target = create.command.target;
    let edit = json!({"changes":{"title":{"from":"t","to":"u"}}});
    let edit = office.attempt(Operation::CaseEdit, target, &edit, Some(Expected::After(create.command.id)));
    let note = json!({ "note_id": NoteId(Uuid::now_v7()), "text": "x" });
    let note = office.attempt(Operation::NoteAdd, target, &note, Some(Expected::After(edit.command.id)));
    let stale =
        office.attempt(Operation::TagAdd, target, &json!({ "tag": "x" }), Some(Expected::After(create.command.id)));
    let behind =
        office.attempt(Operation::TagAdd, target, &json!({ "tag": "y" }), Some(Expected::After(stale.command.id)));
    let group = vec![create.clone(), edit.clone(), create.clone(), note, stale, behind];
    let answers = office.execute(group).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [201, 200, 201, 201, 412, 422]);
    assert_eq!((&answers[2].body, answers[2].replayed), (&answers[0].body, true));
    let slice = office.storage.changes_since(office.tenant, office.actor, 0, 100, usize::MAX).await.unwrap();
    let seqs: Vec<u64> = slice.rows.iter().map(|row| row.seq).collect();
    assert_eq!(slice.head, 7, "one member, then case and activity, case and activity, note and activity");
    assert_eq!(seqs, [1, 3, 4, 5, 6, 7], "the case has moved on from position 2");
    assert_eq!(office.storage.check().await.unwrap().faults, Vec::<String>::new());
}

#[tokio::test]
async fn a_repeat_changes_nothing_and_tenants_do_not_meet() {
    let place = Place::new();
    let storage = place.open().await;
    let office = Office::open(Arc::clone(&storage), "acme").await;
    let other = Office::open(storage, "other").await;
    let create = office.create("t");
    let first = office.execute(vec![create.clone()]).await;
    let head = office.storage.changes_since(office.tenant, office.actor, 0, 1, usize::MAX).await.unwrap().head;
    let again = office.execute(vec![create.clone()]).await;
    assert_eq!((&again[0].body, again[0].replayed), (&first[0].body, true));
    assert_eq!(office.storage.changes_since(office.tenant, office.actor, 0, 1, usize::MAX).await.unwrap().head, head);
    let theirs = Attempt { tenant: other.tenant, sender: Sender::Session(other.session), ..create.clone() };
    let theirs = Attempt { command: Command { actor: other.actor, ..theirs.command.clone() }, ..theirs };
    let executed = other.execute(vec![theirs]).await;
    assert_eq!((executed[0].status, executed[0].replayed), (201, false));
    // A session of one tenant opens nothing in the other.
    let crossed = Attempt { sender: Sender::Session(office.session), ..other.create("x") };
    assert_eq!(other.execute(vec![crossed]).await[0].status, 401);
    let known = other.storage.look_up(Asker { actor: office.actor, ..other.asker() }, vec![create.key.clone()]).await;
    assert!(matches!(known.unwrap()[0], LookedUp::NotSeen));
}

#[tokio::test]
async fn an_ended_session_stops_inside_the_transaction() {
    let place = Place::new();
    let storage = place.open().await;
    let office = Office::open(storage, "acme").await;
    let create = office.create("t");
    office.storage.change_user("acme", "ana", UserChange::Revoke, NOW).await.unwrap();
    assert_eq!(office.execute(vec![create.clone()]).await[0].status, 401);
    let known = office.storage.look_up(office.asker(), vec![create.key]).await.unwrap();
    assert!(matches!(known[0], LookedUp::NotSeen));
    assert!(!office.storage.session(office.tenant, office.session).await.unwrap().unwrap().is_valid);
}

#[tokio::test]
async fn an_external_id_is_taken_once() {
    let place = Place::new();
    let storage = place.open().await;
    let office = Office::open(storage, "acme").await;
    let value = json!({ "title": "t", "kind": "other", "priority": "low", "external_id": "X-1" });
    let create = || office.attempt(Operation::CaseCreate, EntityId(Uuid::now_v7()), &value, None);
    let answers = office.execute(vec![create(), create()]).await;
    assert_eq!((answers[0].status, answers[1].status), (201, 422));
    assert_eq!(office.execute(vec![create()]).await[0].status, 422);
    let edit = json!({"changes":{"title":{"from":"t","to":"u"}}});
    let receipt: Receipt = serde_json::from_str(&answers[0].body).unwrap();
    let edit = office.attempt(Operation::CaseEdit, receipt.fence.entity_id, &edit, None);
    assert_eq!(office.execute(vec![edit]).await[0].status, 200, "the case keeps its own external id");
    let known = office.storage.known_external_ids(office.tenant, vec!["X-1".to_owned(), "X-2".to_owned()]).await;
    assert_eq!(known.unwrap(), ["X-1"]);
}

fn sealing(attempt: &Attempt) -> Sealing {
    Sealing { key: attempt.key.clone(), request_id: "r".to_owned(), session_version: 1, now: NOW }
}

#[tokio::test]
async fn sealing_and_executing_exclude_each_other() {
    let place = Place::new();
    let storage = place.open().await;
    let office = Office::open(storage, "acme").await;
    let (done, never) = (office.create("a"), office.create("b"));
    office.execute(vec![done.clone()]).await;
    let Seal::Recorded(record) = office.storage.seal(office.asker(), sealing(&done)).await.unwrap() else {
        panic!("one's own key is no foreign one")
    };
    assert_eq!(record.outcome, Outcome::Committed);
    let Seal::Recorded(record) = office.storage.seal(office.asker(), sealing(&never)).await.unwrap() else {
        panic!("an unseen key is no foreign one")
    };
    assert_eq!(record.outcome, Outcome::Sealed);
    let answers = office.execute(vec![never]).await;
    assert_eq!((answers[0].status, &answers[0].body), (410, &record.body));
    let stranger = Asker { actor: ActorId(Uuid::now_v7()), ..office.asker() };
    assert!(matches!(office.storage.seal(stranger, sealing(&done)).await.unwrap(), Seal::Foreign));
}

#[tokio::test]
async fn refresh_tokens_rotate() {
    let place = Place::new();
    let storage = place.open().await;
    let office = Office::open(storage, "acme").await;
    let rotate = |count: i64, device: &str, at: i64| Rotate {
        tenant: office.tenant,
        session: office.session,
        count,
        given_hash: format!("h{count}"),
        successor_hash: format!("h{}", count + 1),
        device_id: device.to_owned(),
        grace_ms: 60_000,
        idle_ms: 1_000_000,
        now: NOW.plus_ms(at),
    };
    let go = async |rotation| matches!(office.storage.rotate(rotation).await.unwrap(), Rotation::Rotated(_));
    assert!(go(rotate(0, "d", 0)).await);
    assert!(go(rotate(0, "d", 60_000)).await, "the same again, in time");
    assert!(go(rotate(1, "d", 60_000)).await);
    assert!(go(rotate(0, "d", 60_000)).await, "two back, in time");
    assert!(go(rotate(1, "d", 120_000)).await, "each has its own minute");
    assert!(go(rotate(2, "d", 120_000)).await);
    assert!(!go(rotate(1, "d", 120_001)).await, "too late");
    assert!(!go(rotate(3, "d", 120_001)).await, "and now it is over");
}

#[tokio::test]
async fn administration_is_refused_clearly() {
    let place = Place::new();
    let storage = place.open().await;
    let office = Office::open(storage, "acme").await;
    assert!(matches!(office.storage.add_tenant("acme", "again", NOW).await, Err(AdminError::Exists(_))));
    let nobody = office.storage.change_user("acme", "nobody", UserChange::Revoke, NOW).await;
    assert!(matches!(nobody, Err(AdminError::Unknown(_))));
    office.storage.change_user("acme", "ana", UserChange::Role(Role::Admin), NOW).await.unwrap();
    let member =
        office.storage.changes_since(office.tenant, office.actor, 1, 10, usize::MAX).await.unwrap().rows.remove(0);
    let entity: Value = serde_json::from_str(member.entity.get()).unwrap();
    assert_eq!((member.kind.as_str(), &entity["role"], member.revision.0), ("member", &json!("admin"), 2));
    let create = office.create("t");
    office.execute(vec![create.clone(), create.clone()]).await;
    let filter = AuditFilter { command: None, target: Some(create.command.target.to_string()) };
    let audit = office.storage.audit(office.tenant, filter).await.unwrap();
    let results: Vec<&str> = audit.iter().map(|row| row.result.as_str()).collect();
    assert_eq!(results, ["committed", "duplicate_returned"]);
}
