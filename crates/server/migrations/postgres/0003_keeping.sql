-- What is kept how long: answers are reduced after their time, and later forgotten; what is gone leaves a tombstone in
-- the feed, which goes too once nobody who reads from there is expected any more.

-- True: `body` holds what remains of the answer; the rest of it is in the other columns.
alter table command add column reduced boolean not null default false;

-- The receipts of audit entries up to this one have had their time.
alter table tenant add column receipts_passed bigint not null default 0;
-- The newest feed position at which a tombstone was removed: a cursor from before it may have missed one.
alter table tenant add column tombstone_floor bigint not null default 0;

-- Small, and untouched by most commands: tombstones, and what may become one.
create index entity_gone on entity (tenant_id, seq) where deleted;
create index entity_notification on entity (tenant_id, changed_at) where entity_type = 'notification' and not deleted;

grant update (receipts_passed, tombstone_floor) on tenant to onceover_app;
grant update (reduced, body), delete on command to onceover_app;
grant delete on entity to onceover_app;
grant delete on session to onceover_app;
