//! Files that are no store, another's, newer, damaged or busy.

use std::fs;

use domain::{ActorId, CaseId, CommandId};
use engine::delivery::{Delivery, DeliveryEvent, Hold};
use engine::ports::{Draft, Ids as _, Store, StoreError};
use engine::view::{OutboxGroup, Reason};
use onceover_client::sqlite::{Access, Damage, Identity, OpenError, SqliteStore};
use onceover_client::system::SystemIds;
use sqlx::Connection;

use crate::support::{AMBIENT, NOW, Place, attempt, claim, create, id, identity, note, run};

#[tokio::test]
async fn each_start_to_write_raises_the_epoch_and_versions_never_fall() {
    let place = Place::new();
    let store = place.open().await;
    assert_eq!(store.owner().epoch, 1);
    let versions = store.accept(create(CaseId(id(10)), "t")).await.unwrap().versions;
    drop(store);
    let store = place.open().await;
    assert_eq!(store.owner().epoch, 2);
    assert_eq!(store.versions().await.unwrap(), versions);
}

/// Bad input: a database file that is a JPEG. It is kept and told; how much was in it nobody knows.
#[tokio::test]
async fn a_jpeg_is_moved_aside_and_a_new_store_made() {
    let place = Place::new();
    let jpeg = [&[0xff, 0xd8, 0xff, 0xe0][..], &[0x5a; 9_000]].concat();
    fs::write(place.path(), &jpeg).unwrap();
    let opened = place.try_open().await.unwrap();
    assert_eq!(opened.damage, Some(Damage { recovered: 0, lost: None }));
    opened.store.accept(create(CaseId(id(10)), "t")).await.unwrap();
    let aside = place.files("store.db.damaged-");
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert_eq!(fs::read(place.folder().join(&aside[0])).unwrap(), jpeg);
    // It is said until someone has seen it.
    drop(opened);
    let opened = place.try_open().await.unwrap();
    assert!(opened.damage.is_some());
    opened.store.acknowledge_damage().await.unwrap();
    drop(opened);
    assert_eq!(place.try_open().await.unwrap().damage, None);
}

#[tokio::test]
async fn an_empty_file_is_a_new_store() {
    let place = Place::new();
    fs::write(place.path(), "").unwrap();
    assert_eq!(place.try_open().await.unwrap().damage, None);
}

/// A store that was there before and is gone or empty now is a damaged one: it is told until someone has seen it.
#[tokio::test]
async fn a_store_that_is_gone_is_damage() {
    for is_empty in [true, false] {
        let place = Place::new();
        let path = place.path();
        let open_again = |access| SqliteStore::open_again(&path, identity(), access);
        let store = place.open().await;
        store.accept(create(CaseId(id(10)), "t")).await.unwrap();
        store.close().await;
        for file in place.files("store.db") {
            fs::remove_file(place.folder().join(file)).unwrap();
        }
        if is_empty {
            fs::write(place.path(), "").unwrap();
        }
        let reading = open_again(Access::Read).await.err();
        assert!(matches!(reading, Some(OpenError::Store(StoreError::Damaged(_)))), "{reading:?}");
        for _ in 0..2 {
            let opened = open_again(Access::Own).await.unwrap();
            assert_eq!(opened.damage, Some(Damage { recovered: 0, lost: None }));
            opened.store.close().await;
        }
        let opened = open_again(Access::Own).await.unwrap();
        opened.store.acknowledge_damage().await.unwrap();
        opened.store.close().await;
        assert_eq!(open_again(Access::Own).await.unwrap().damage, None);
        assert_eq!(place.files("store.db.damaged-").len(), usize::from(is_empty));
    }
}

#[tokio::test]
async fn another_accounts_store_is_left_alone() {
    let place = Place::new();
    drop(place.open().await);
    let other = Identity { actor_id: ActorId(id(3)), ..identity() };
    for access in [Access::Own, Access::Read] {
        let error = SqliteStore::open(&place.path(), other.clone(), access).await.err();
        assert_eq!(error, Some(OpenError::OtherAccount));
    }
    assert_eq!(place.open().await.owner().epoch, 2);
}

#[tokio::test]
async fn another_programs_database_is_left_alone() {
    let place = Place::new();
    let mut db =
        sqlx::SqliteConnection::connect(&format!("sqlite://{}?mode=rwc", place.path().display())).await.unwrap();
    run(&mut db, "create table theirs (x)").await.unwrap();
    assert_eq!(place.try_open().await.err(), Some(OpenError::OtherProgram));
}

/// A profile made by a newer version: read, never written, and it says which version.
#[tokio::test]
async fn a_newer_schema_is_open_for_reading_only() {
    let place = Place::new();
    let store = place.open().await;
    store.accept(create(CaseId(id(10)), "t")).await.unwrap();
    store.close().await;
    let mut db = place.raw().await;
    run(&mut db, "update meta set written_by = '9.0.0'").await.unwrap();
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                 values (9999, 'of a later version', true, x'00', 0)";
    run(&mut db, newer).await.unwrap();
    let opened = place.try_open().await.unwrap();
    assert_eq!(opened.newer.unwrap().written_by, "9.0.0");
    assert_eq!(opened.store.counts(NOW).await.unwrap().open, 1);
    let refused = opened.store.accept(create(CaseId(id(11)), "t")).await.unwrap_err();
    assert_eq!(refused, StoreError::Newer { written_by: "9.0.0".to_owned() });
    let epoch: i64 = sqlx::query_scalar("select owner_epoch from meta").fetch_one(&mut db).await.unwrap();
    assert_eq!(epoch, 1);
    assert_eq!(place.files("store.db.damaged").len(), 0);
}

/// Invariant R20: what can be read of a damaged store is kept, held for a person, and nothing of it is sent.
#[tokio::test]
async fn rows_of_a_damaged_store_are_recovered_and_held() {
    let place = Place::new();
    let store = place.open().await;
    let first = store.accept(create(CaseId(id(9)), "sent")).await.unwrap().row;
    attempt(&store, DeliveryEvent::OutcomeUnknown { ask_at: NOW }, Some("cut")).await;
    let mut rows = Vec::new();
    for n in 0..200 {
        rows.push(store.accept(create(CaseId(id(1_000 + n)), &"long ".repeat(300))).await.unwrap().row);
    }
    let versions = store.versions().await.unwrap();
    store.close().await;
    drop(store);
    damage_the_middle_of_the_outbox(&place).await;

    let opened = place.try_open().await.unwrap();
    let damage = opened.damage.unwrap();
    let lost = damage.lost.unwrap();
    assert!(damage.recovered > 50 && lost > 0, "{damage:?}");
    assert_eq!(damage.recovered + lost, 201);
    let store = opened.store;
    assert_eq!(store.counts(NOW).await.unwrap().needs_attention, damage.recovered);
    assert!(claim(&store, 100).await.is_empty());
    assert!(store.in_doubt(NOW.plus_ms(i64::from(u32::MAX)), 10, false).await.unwrap().is_empty());
    assert_eq!(store.next_due().await.unwrap(), None);
    let in_doubt = store.row(first.command_id).await.unwrap().unwrap();
    assert_eq!(in_doubt.delivery, Delivery::Unknown { ask_at: None, hold: Some(Hold::Person) });
    let mut found = 0;
    for row in &rows {
        if let Some(kept) = store.row(row.command_id).await.unwrap() {
            assert_eq!((&kept.payload, &kept.payload_hash, kept.seq), (&row.payload, &row.payload_hash, row.seq));
            assert_eq!(kept.delivery, Delivery::RetryableFailed { due_at: None, hold: Hold::Person });
            found += 1;
        }
    }
    assert_eq!(found + 1, damage.recovered);
    assert!(store.versions().await.unwrap().cases > versions.cases);
    assert!(store.owner().epoch > 1);
    let mut aside = place.files("store.db.damaged-");
    aside.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert!(place.files("store.db.new").is_empty());
    for line in store.outbox_page(NOW, AMBIENT).await.unwrap().lines {
        assert_eq!((line.change.reason, line.group), (Reason::Recovered, OutboxGroup::NeedsYou));
    }
    // Having seen it puts nothing back.
    store.acknowledge_damage().await.unwrap();
    assert!(claim(&store, 100).await.is_empty());
    // Someone looked: the row goes.
    let released = store.release(Hold::Person, NOW).await.unwrap();
    assert_eq!(released, found);
}

/// Overwrites a leaf page of the table in the middle of the file.
async fn damage_the_middle_of_the_outbox(place: &Place) {
    let mut db = place.raw().await;
    let leaves = "select pageno from dbstat where name = 'outbox' and pagetype = 'leaf' order by pageno";
    let pages: Vec<i64> = match sqlx::query_scalar(leaves).fetch_all(&mut db).await {
        Ok(pages) => pages,
        // Built without dbstat: the table's pages are found by what is in them.
        Err(_) => leaves_by_content(place),
    };
    db.close().await.unwrap();
    let page = usize::try_from(pages[pages.len() / 2]).unwrap();
    let mut bytes = fs::read(place.path()).unwrap();
    bytes[(page - 1) * 4096..page * 4096].fill(0xa5);
    fs::write(place.path(), bytes).unwrap();
}

fn leaves_by_content(place: &Place) -> Vec<i64> {
    let bytes = fs::read(place.path()).unwrap();
    let is_leaf = |page: &[u8]| page[0] == 0x0d && page.windows(12).any(|window| window == b"case.create:");
    (1..).zip(bytes.chunks(4096)).filter(|(_, page)| is_leaf(page)).map(|(number, _)| number).collect()
}

#[tokio::test]
async fn a_truncated_store_is_contained() {
    let place = Place::new();
    let store = place.open().await;
    for n in 0..100 {
        store.accept(create(CaseId(id(1_000 + n)), "t")).await.unwrap();
    }
    store.close().await;
    let bytes = fs::read(place.path()).unwrap();
    fs::write(place.path(), &bytes[..bytes.len() / 2]).unwrap();
    let opened = place.try_open().await.unwrap();
    let damage = opened.damage.unwrap();
    assert!(damage.recovered + damage.lost.unwrap_or(0) <= 100, "{damage:?}");
    opened.store.accept(create(CaseId(id(10)), "t")).await.unwrap();
}

/// A reader takes no lock, raises nothing, and sees what another process commits meanwhile.
#[tokio::test]
async fn a_reader_works_beside_a_writer() {
    let place = Place::new();
    let missing = SqliteStore::open(&place.path(), identity(), Access::Read).await.err();
    assert_eq!(missing, Some(OpenError::Missing));
    let writer = place.open().await;
    let case = CaseId(id(10));
    writer.accept(create(case, "t")).await.unwrap();
    let reader = SqliteStore::open(&place.path(), identity(), Access::Read).await.unwrap().store;
    assert_eq!(reader.counts(NOW).await.unwrap().open, 1);
    writer.accept(note(case, "x")).await.unwrap();
    assert_eq!(reader.counts(NOW).await.unwrap().open, 2);
    assert_eq!(reader.accept(note(case, "x")).await.unwrap_err(), StoreError::ReadOnly);
    assert_eq!(reader.owner().epoch, 1);
    // Also when nobody writes.
    writer.close().await;
    let reader = SqliteStore::open(&place.path(), identity(), Access::Read).await.unwrap().store;
    assert_eq!(reader.counts(NOW).await.unwrap().open, 2);
}

/// A folder that cannot be used is named as such.
#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error_of_its_own() {
    let place = Place::new();
    let path = place.folder().join("missing").join("store.db");
    let error = SqliteStore::open(&path, identity(), Access::Own).await.err();
    assert_eq!(error, Some(OpenError::Store(StoreError::ReadOnly)));
}

/// CASES J6: the database is gone and made anew, and a thousand changes are saved in it: none has a key, a number or an
/// intent of one that was saved before. They come from the time and from chance, never from a counter in the database.
#[tokio::test]
async fn a_database_made_anew_gives_no_key_twice() {
    let ids = SystemIds;
    let place = Place::new();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..2 {
        let store = place.open().await;
        let drafts = (0..1_000).map(|_| Draft {
            intent_id: ids.new_id(),
            command_id: CommandId(ids.new_id()),
            ..create(CaseId(ids.new_id()), "t")
        });
        for accepted in futures_util::future::join_all(drafts.map(|draft| store.accept(draft))).await {
            let row = accepted.unwrap().row;
            assert!(seen.insert(row.key.to_string()), "{} was given before", row.key);
            assert!(seen.insert(row.command_id.to_string()));
        }
        store.close().await;
        for file in std::fs::read_dir(place.folder()).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
    }
    assert_eq!(seen.len(), 4_000);
}
