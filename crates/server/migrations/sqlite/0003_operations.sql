-- All operations of version 1: entities that only one actor sees, entities that are gone, and an audit in which each
-- entry carries a hash over the one before it. Which positions the feed ever gave is told by the head alone.

drop table effect;

alter table entity add column visible_to text;                          -- null: the whole tenant
alter table entity add column deleted integer not null default 0 check (deleted in (0, 1));

alter table tenant add column audit_seq integer not null default 0;     -- how many audit entries there are
alter table tenant add column audit_hash text not null default '';      -- the last one's

drop trigger audit_is_append_only;
alter table audit rename to audit_unlinked;
drop index audit_of_command;
drop index audit_of_entity;

-- One row per attempt. Append only.
create table audit (
    tenant_id         text    not null references tenant,
    seq               integer not null,          -- 1, 2, 3 … per tenant
    hash              text    not null,          -- hex SHA-256 over the hash before it and everything here
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
    primary key (tenant_id, seq)
) strict, without rowid;
create index audit_of_command on audit (tenant_id, command_id);
create index audit_of_entity on audit (tenant_id, entity_id);

-- Entries from before have no hash yet; opening the database links them.
insert into audit (tenant_id, seq, hash, command_id, idempotency_key, actor_id, entity_type, entity_id, operation,
                   previous_revision, next_revision, result, code, authority, session_version, issued_under, request_id,
                   occurred_at)
select tenant_id, row_number() over (partition by tenant_id order by audit_id), '', command_id, idempotency_key,
       actor_id, entity_type, entity_id, operation, previous_revision, next_revision, result, code, authority,
       session_version, issued_under, request_id, occurred_at
  from audit_unlinked;
drop table audit_unlinked;

create trigger audit_is_append_only before update on audit when old.hash <> '' begin
    select raise(abort, 'audit is append only');
end;
create trigger audit_is_kept before delete on audit begin select raise(abort, 'audit is append only'); end;
