-- What the receiver keeps, on PostgreSQL. The tenant comes first in every key and no statement spans two tenants, so
-- that the same schema can be split by tenant. Times are milliseconds since the Unix epoch. Texts in keys compare byte
-- by byte, whatever language the database was made for.
--
-- Who sees what. The owner of these tables runs migrations and nothing else. Every connection that serves works as
-- onceover_app, which owns nothing; it is made before this migration. Every table is guarded by row-level security,
-- for its owner too: a transaction says whose rows it is about in the setting onceover.tenant, and neither sees nor
-- writes any other, also where a query forgets to say so. Two tables show a little more to a transaction that asks for
-- it in the setting onceover.across: `directory` (which tenant has which slug: needed before anybody has signed in)
-- and `tenant_head` (how far each tenant's feed has come: what wakes the event streams of a node). Neither holds
-- anything that a tenant has written. `server` holds nothing of any tenant.
--
-- A later migration that adds a table: tenant_id first in its key, enable and force row level security, a policy like
-- these, and the least it needs granted to onceover_app. A test reads the catalogue and fails if one is forgotten. One
-- that changes rows sees none of them, as the owner: it lifts `force` for its transaction and puts it back.
--
-- Tables that grow with every command refer to nothing by foreign keys: whoever writes them holds the tenant's row of
-- tenant_head locked, and `check` looks for what refers to nothing.

create table server (
    one           boolean not null primary key check (one),
    feed_epoch    text    not null,                  -- changes after a restore
    purge_horizon bigint  not null default 0,        -- commands older than this have no record any more
    key_check     text                               -- tells the server key of these nodes from another; null: none yet
);

create table directory (
    slug      text collate "C" not null primary key,
    tenant_id uuid             not null unique
);

create table tenant (
    tenant_id  uuid   not null primary key,
    slug       text   not null,
    name       text   not null,
    created_at bigint not null
);

-- Where a tenant's feed and audit end. Its row is locked by whoever writes for the tenant, so that everything of one
-- tenant is done one after the other, whichever node does it. Narrow and in room of its own, since every commit
-- updates it.
create table tenant_head (
    tenant_id  uuid   not null primary key references tenant,
    feed_head  bigint not null default 0,            -- the newest feed position
    audit_seq  bigint not null default 0,            -- how many audit entries there are
    audit_hash text   not null default '',           -- the last one's
    ended      bigint not null default 0             -- rises whenever a session ends: open event streams look again
) with (fillfactor = 20);

create table case_number (
    tenant_id uuid    not null references tenant,
    year      integer not null,
    last      bigint  not null,
    primary key (tenant_id, year)
) with (fillfactor = 20);

create table actor (
    tenant_id       uuid             not null references tenant,
    actor_id        uuid             not null,
    username        text collate "C" not null,
    display_name    text             not null,
    role            text             not null check (role in ('viewer', 'officer', 'supervisor', 'admin')),
    password_hash   text             not null,
    disabled        boolean          not null,
    session_version bigint           not null,
    revision        bigint           not null,
    created_at      bigint           not null,
    primary key (tenant_id, actor_id),
    unique (tenant_id, username)
);

-- Which role an actor had when: operations with authority at intent ask.
create table actor_role (
    tenant_id uuid    not null,
    actor_id  uuid    not null,
    change    integer not null,                      -- 1, 2, 3 … per actor
    role      text    not null check (role in ('viewer', 'officer', 'supervisor', 'admin')),
    since     bigint  not null,
    primary key (tenant_id, actor_id, change),
    foreign key (tenant_id, actor_id) references actor
);

create table session (
    tenant_id       uuid   not null,
    session_id      uuid   not null,
    actor_id        uuid   not null,
    session_version bigint not null,                 -- the actor's when the session began; a higher one ends it
    device_id       text   not null,
    device_name     text   not null,
    refresh_count   bigint not null,                 -- which refresh token of the family is the current one
    refresh_hash    text   not null,                 -- SHA-256 of it; the token itself is derived, never stored
    rotated_at      bigint not null,
    created_at      bigint not null,
    ended_at        bigint,
    primary key (tenant_id, session_id),
    foreign key (tenant_id, actor_id) references actor
);
create index session_of_actor on session (tenant_id, actor_id, created_at);

-- When each recent refresh token of a family was used: for a minute it gives the same successor again. Older rows go
-- when the next token is used.
create table refresh_use (
    tenant_id     uuid   not null,
    session_id    uuid   not null,
    refresh_count bigint not null,                   -- which token of the family
    used_at       bigint not null,
    primary key (tenant_id, session_id, refresh_count),
    foreign key (tenant_id, session_id) references session
);

-- The key record: at most one effect per key and per command id, and the answer that every repeat gets.
create table command (
    tenant_id       uuid             not null,
    idempotency_key text collate "C" not null,
    command_id      uuid             not null,
    actor_id        uuid             not null,
    operation       text             not null,
    entity_type     text             not null,
    entity_id       text             not null,       -- as the key names it
    payload_hash    text,                            -- null: sealed before it was seen
    outcome         text             not null check (outcome in ('committed', 'failed', 'sealed')),
    status          integer          not null,
    body            text             not null,       -- the answer, byte for byte
    entity_revision bigint,                          -- of the target, after it
    recorded_at     bigint           not null,
    primary key (tenant_id, idempotency_key),
    unique (tenant_id, command_id),
    check ((outcome = 'committed') = (entity_revision is not null)),
    check (outcome = 'sealed' or payload_hash is not null)
);

-- Every entity at its newest state; `seq` is where the feed shows it.
create table entity (
    tenant_id   uuid             not null,
    entity_type text collate "C" not null,
    entity_id   uuid             not null,
    revision    bigint           not null,
    seq         bigint           not null,
    visible_to  uuid,                                -- null: the whole tenant
    deleted     boolean          not null default false,
    command_id  uuid,                                -- null: made by an administrator's command line
    changed_at  bigint           not null,
    body        text             not null,
    primary key (tenant_id, entity_type, entity_id),
    unique (tenant_id, seq)
);

create table case_external_id (
    tenant_id   uuid             not null,
    external_id text collate "C" not null,
    case_id     uuid             not null,
    primary key (tenant_id, external_id)
);

-- One row per attempt. Append only: onceover_app may add and read, and the trigger holds for the owner too.
create table audit (
    tenant_id         uuid             not null,
    seq               bigint           not null,     -- 1, 2, 3 … per tenant
    hash              text             not null,     -- hex SHA-256 over the hash before it and everything here
    command_id        text collate "C" not null,
    idempotency_key   text             not null,
    actor_id          text             not null,
    entity_type       text             not null,
    entity_id         text collate "C" not null,
    operation         text             not null,
    previous_revision bigint,
    next_revision     bigint,
    result            text             not null
                      check (result in ('committed', 'duplicate_returned', 'rejected', 'conflict')),
    code              text,
    authority         text             check (authority in ('current', 'intent', 'confirmed')),
    session_version   bigint           not null,
    issued_under      bigint           not null,
    request_id        text             not null,
    occurred_at       bigint           not null,
    primary key (tenant_id, seq)
);
create index audit_of_command on audit (tenant_id, command_id);
create index audit_of_entity on audit (tenant_id, entity_id);

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'audit is append only';
end
$$;
create trigger audit_is_append_only before update or delete on audit
    for each row execute function audit_is_append_only();
create trigger audit_is_kept before truncate on audit execute function audit_is_append_only();

grant usage on schema public to onceover_app;

alter table server enable row level security;
alter table server force row level security;
create policy everybody on server using (true);
grant select, update on server to onceover_app;

alter table directory enable row level security;
alter table directory force row level security;
create policy own on directory using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
create policy across on directory for select using (current_setting('onceover.across', true) = 'directory');
grant select, insert on directory to onceover_app;

alter table tenant enable row level security;
alter table tenant force row level security;
create policy own on tenant using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert on tenant to onceover_app;

alter table tenant_head enable row level security;
alter table tenant_head force row level security;
create policy own on tenant_head using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
create policy across on tenant_head for select using (current_setting('onceover.across', true) = 'heads');
grant select, insert, update on tenant_head to onceover_app;

alter table case_number enable row level security;
alter table case_number force row level security;
create policy own on case_number using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert, update on case_number to onceover_app;

alter table actor enable row level security;
alter table actor force row level security;
create policy own on actor using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert, update on actor to onceover_app;

alter table actor_role enable row level security;
alter table actor_role force row level security;
create policy own on actor_role using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert on actor_role to onceover_app;

alter table session enable row level security;
alter table session force row level security;
create policy own on session using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert, update on session to onceover_app;

alter table refresh_use enable row level security;
alter table refresh_use force row level security;
create policy own on refresh_use using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert, delete on refresh_use to onceover_app;

alter table command enable row level security;
alter table command force row level security;
create policy own on command using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert on command to onceover_app;

alter table entity enable row level security;
alter table entity force row level security;
create policy own on entity using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert, update on entity to onceover_app;

alter table case_external_id enable row level security;
alter table case_external_id force row level security;
create policy own on case_external_id using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert on case_external_id to onceover_app;

alter table audit enable row level security;
alter table audit force row level security;
create policy own on audit using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert on audit to onceover_app;

-- A node that may not migrate has to know how far the schema is.
grant select on _sqlx_migrations to onceover_app;

insert into server (one, feed_epoch) values (true, replace(gen_random_uuid()::text, '-', ''));
