-- What is kept how long: answers are reduced after their time, and later forgotten; what is gone leaves a tombstone in
-- the feed, which goes too once nobody who reads from there is expected any more.

-- 1: `body` holds what remains of the answer; the rest of it is in the other columns.
alter table command add column reduced integer not null default 0 check (reduced in (0, 1));

-- The receipts of audit entries up to this one have had their time.
alter table tenant add column receipts_passed integer not null default 0;
-- The newest feed position at which a tombstone was removed: a cursor from before it may have missed one.
alter table tenant add column tombstone_floor integer not null default 0;

-- Small, and untouched by most commands: tombstones, and what may become one.
create index entity_gone on entity (tenant_id, changed_at) where deleted = 1;
create index entity_notification on entity (tenant_id, changed_at) where entity_type = 'notification' and deleted = 0;
