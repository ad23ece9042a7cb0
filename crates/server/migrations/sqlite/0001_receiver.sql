-- What the receiver keeps. The tenant comes first in every key, so that the same schema can be split by tenant.
-- Times are milliseconds since the Unix epoch; ids are lower-case UUIDs.

create table server (
    one           integer primary key check (one = 1),
    feed_epoch    text    not null,              -- changes after a restore
    ended         integer not null default 0,    -- rises whenever a session ends: open event streams look again
    purge_horizon integer not null default 0     -- commands older than this have no record any more
) strict;

create table tenant (
    tenant_id  text    not null primary key,
    slug       text    not null unique,
    name       text    not null,
    feed_head  integer not null default 0,       -- the newest feed position
    created_at integer not null
) strict, without rowid;

create table case_number (
    tenant_id text    not null references tenant,
    year      integer not null,
    last      integer not null,
    primary key (tenant_id, year)
) strict, without rowid;

create table actor (
    tenant_id       text    not null references tenant,
    actor_id        text    not null,
    username        text    not null,
    display_name    text    not null,
    role            text    not null check (role in ('viewer', 'officer', 'supervisor', 'admin')),
    password_hash   text    not null,
    disabled        integer not null check (disabled in (0, 1)),
    session_version integer not null,
    revision        integer not null,
    created_at      integer not null,
    primary key (tenant_id, actor_id),
    unique (tenant_id, username)
) strict, without rowid;

-- Which role an actor had when: operations with authority at intent ask.
create table actor_role (
    tenant_id text    not null,
    actor_id  text    not null,
    change    integer not null,                  -- 1, 2, 3 … per actor
    role      text    not null check (role in ('viewer', 'officer', 'supervisor', 'admin')),
    since     integer not null,
    primary key (tenant_id, actor_id, change),
    foreign key (tenant_id, actor_id) references actor
) strict, without rowid;

create table session (
    tenant_id       text    not null,
    session_id      text    not null,
    actor_id        text    not null,
    session_version integer not null,            -- the actor's when the session began; a higher one ends it
    device_id       text    not null,
    device_name     text    not null,
    refresh_count   integer not null,            -- which refresh token of the family is the current one
    refresh_hash    text    not null,            -- SHA-256 of it; the token itself is derived, never stored
    rotated_at      integer not null,
    created_at      integer not null,
    ended_at        integer,
    primary key (tenant_id, session_id),
    foreign key (tenant_id, actor_id) references actor
) strict, without rowid;
create index session_of_actor on session (tenant_id, actor_id, created_at);

-- The key record: at most one effect per key and per command id, and the answer that every repeat gets.
create table command (
    tenant_id       text    not null references tenant,
    idempotency_key text    not null,
    command_id      text    not null,
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
    primary key (tenant_id, idempotency_key),
    unique (tenant_id, command_id),
    check ((outcome = 'committed') = (entity_revision is not null)),
    check (outcome = 'sealed' or payload_hash is not null)
) strict, without rowid;

-- Every entity at its newest state; `seq` is where the feed shows it.
create table entity (
    tenant_id   text    not null references tenant,
    entity_type text    not null,
    entity_id   text    not null,
    revision    integer not null,
    seq         integer not null,
    command_id  text,                            -- null: made by an administrator's command line
    changed_at  integer not null,
    body        text    not null check (json_valid(body)),
    primary key (tenant_id, entity_type, entity_id),
    unique (tenant_id, seq)
) strict, without rowid;

-- Every feed position ever given, also those whose entity has moved on.
create table effect (
    tenant_id   text    not null references tenant,
    seq         integer not null,
    entity_type text    not null,
    entity_id   text    not null,
    revision    integer not null,
    command_id  text,
    primary key (tenant_id, seq)
) strict, without rowid;

create table case_external_id (
    tenant_id   text not null references tenant,
    external_id text not null,
    case_id     text not null,
    primary key (tenant_id, external_id)
) strict, without rowid;

-- One row per attempt. Append only.
create table audit (
    tenant_id         text    not null references tenant,
    audit_id          text    not null,
    command_id        text    not null,
    idempotency_key   text    not null,
    actor_id          text    not null,
    entity_type       text    not null,
    entity_id         text    not null,
    operation         text    not null,
    previous_revision integer,
    next_revision     integer,
    result            text    not null check (result in ('committed', 'duplicate_returned', 'rejected', 'conflict')),
    code              text,
    authority         text    check (authority in ('current', 'intent', 'confirmed')),
    session_version   integer not null,
    issued_under      integer not null,
    request_id        text    not null,
    occurred_at       integer not null,
    primary key (tenant_id, audit_id)
) strict, without rowid;
create index audit_of_command on audit (tenant_id, command_id);
create index audit_of_entity on audit (tenant_id, entity_id);
create trigger audit_is_append_only before update on audit begin select raise(abort, 'audit is append only'); end;

insert into server (one, feed_epoch) values (1, lower(hex(randomblob(16))));
