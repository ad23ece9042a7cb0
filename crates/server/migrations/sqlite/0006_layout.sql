-- Lays rows out so that a command writes few pages, and these one after the other: a commit waits for the disk to have
-- every page it touched. Rows with long texts are kept apart from their keys (a table "without rowid" moves what is
-- longer than a quarter of a page to a page of its own), and no index is ordered by what strews rows about.

-- A key ends with its command id, so that what is unique by command id is unique by key.
create table command_in_order (
    tenant_id       text    not null references tenant,
    command_id      text    not null,
    idempotency_key text    not null,
    actor_id        text    not null,
    operation       text    not null,
    entity_type     text    not null,
    entity_id       text    not null,
    payload_hash    text,                        -- null: sealed before it was seen
    outcome         text    not null check (outcome in ('committed', 'failed', 'sealed')),
    status          integer not null,
    body            text    not null,            -- the answer, byte for byte
    entity_revision integer,                     -- of the target, after it
    recorded_at     integer not null,
    -- 1: `body` holds what remains of the answer; the rest of it is in the other columns.
    reduced         integer not null default 0 check (reduced in (0, 1)),
    primary key (tenant_id, command_id),
    check (substr(idempotency_key, -37) = ':' || command_id),
    check ((outcome = 'committed') = (entity_revision is not null)),
    check (outcome = 'sealed' or payload_hash is not null)
) strict;
insert into command_in_order (tenant_id, command_id, idempotency_key, actor_id, operation, entity_type, entity_id,
                              payload_hash, outcome, status, body, entity_revision, recorded_at, reduced)
select tenant_id, command_id, idempotency_key, actor_id, operation, entity_type, entity_id,
       payload_hash, outcome, status, body, entity_revision, recorded_at, reduced
  from command
 order by recorded_at;
drop table command;
alter table command_in_order rename to command;

-- Every entity at its newest state; `seq` is where the feed shows it.
create table entity_in_order (
    tenant_id   text    not null references tenant,
    entity_type text    not null,
    entity_id   text    not null,
    revision    integer not null,
    seq         integer not null,
    visible_to  text,                            -- null: the whole tenant
    deleted     integer not null default 0 check (deleted in (0, 1)),
    command_id  text,                            -- null: made by an administrator's command line
    changed_at  integer not null,
    body        text    not null,                -- JSON
    primary key (tenant_id, entity_type, entity_id),
    unique (tenant_id, seq)
) strict;
insert into entity_in_order (tenant_id, entity_type, entity_id, revision, seq, visible_to, deleted, command_id,
                             changed_at, body)
select tenant_id, entity_type, entity_id, revision, seq, visible_to, deleted, command_id, changed_at, body
  from entity
 order by tenant_id, seq;
drop table entity;
alter table entity_in_order rename to entity;
-- Small, and untouched by most commands: tombstones, and what may become one.
create index entity_gone on entity (tenant_id, changed_at) where deleted = 1;
create index entity_notification on entity (tenant_id, changed_at) where entity_type = 'notification' and deleted = 0;

-- Asked by administrators alone, who can wait for the audit to be read through; ordered by target or by command, it
-- would be written all over by every attempt.
drop index audit_of_entity;
drop index audit_of_command;
