-- The durable state of one account on one computer.
-- Times are milliseconds since the Unix epoch; ids are lower-case UUIDs; JSON is kept as text.

pragma application_id = 1330532182;    -- "ONOV": no other program's file is taken for ours

create table meta (
    one              integer primary key check (one = 1),
    tenant_id        text    not null,
    actor_id         text    not null,
    written_by       text    not null,               -- the newest version of the program that wrote here
    owner_epoch      integer not null default 0,     -- rises by one each time a process opens the store for writing
    cases_version    integer not null default 0,     -- the versions rise in the commit that changes what they name
    outbox_version   integer not null default 0,
    session_version  integer not null default 0,
    session_revoked  integer not null default 0 check (session_revoked in (0, 1)),
    signed_in        integer not null default 0 check (signed_in in (0, 1)),
    cursor           text,                           -- NULL: the next read of the feed starts over
    feed_complete    integer not null default 0 check (feed_complete in (0, 1)),
    sync_round       integer not null default 0,     -- one per read that started over
    round_open       integer not null default 0 check (round_open in (0, 1)),
    last_pull_at     integer,
    damage_recovered integer,                        -- what a person must still be told about a damaged predecessor
    damage_lost      integer,                        -- null beside a number of recovered rows: not known
    check (damage_recovered is not null or damage_lost is null)
) strict;

-- One row per change of this computer. What was sent never changes; where it stands does, step by step.
create table outbox (
    seq             integer primary key autoincrement,   -- enqueue order; never reused
    intent_id       text    not null unique,
    command_id      text    not null unique,
    idempotency_key text    not null unique,             -- made once, at enqueue; every attempt carries it
    operation       text    not null,
    schema_version  integer not null,
    lane            text    not null,                    -- the case: one case's changes leave in order
    stands_for      integer,                             -- the place in the lane it took over; NULL: its own
    place           integer not null generated always as (coalesce(stands_for, seq)) virtual,
    expected        text,
    payload         text,                                -- NULL: the content was lost before this row was made
    payload_hash    text    not null,
    tenant_id       text    not null,
    actor_id        text    not null,
    session_version integer not null,
    issued_at       integer not null,
    confirmed_at    integer,
    seen            text,                                -- the case as the actor saw it; NULL for a new case
    state           text    not null check (state in ('queued', 'claimed', 'sending', 'retryable_failed',
                                                      'unknown', 'conflict', 'rejected', 'acked')),
    claim_epoch     integer,
    claim_token     text,
    sent_at         integer,
    due_at          integer,                             -- NULL while only a person or another event can free it
    hold            text    check (hold in ('login', 'grant', 'confirmation', 'dependency', 'network', 'time',
                                            'quarantined', 'person')),
    ask_at          integer,
    conflict        text,
    refusal         text,
    receipt         text,
    attempt         integer not null,
    same_failures   integer not null,
    last_error      text,
    not_before      integer,
    resolution      text    check (resolution in ('superseded', 'rebased', 'discarded')),
    successor       text,
    resolved_by     text,
    resolved_at     integer,
    projected       integer not null check (projected in (0, 1)),
    content_lost    integer not null check (content_lost in (0, 1)),   -- the hash no longer fits the content
    steps           integer not null,                    -- rises by one with each step, and the history with it
    event           text    not null,                    -- what the last step was
    event_code      text,
    stepped_at      integer not null,
    created_at      integer not null,
    updated_at      integer not null,
    check ((state in ('claimed', 'sending')) = (claim_token is not null)),
    check ((claim_epoch is null) = (claim_token is null)),
    check ((state = 'sending') = (sent_at is not null)),
    check (due_at is null or state = 'retryable_failed'),
    check (state <> 'retryable_failed' or hold is not null),
    check (hold is null or state in ('retryable_failed', 'unknown')),
    check (ask_at is null or state = 'unknown'),
    check (state <> 'unknown' or (ask_at is null) = (hold is not null)),
    check ((state = 'conflict') = (conflict is not null)),
    check ((state = 'rejected') = (refusal is not null)),
    check ((state = 'acked') = (receipt is not null)),
    check (projected = 0 or state = 'acked'),
    check ((resolution is null) = (resolved_by is null) and (resolution is null) = (resolved_at is null)),
    check (resolution is not null or successor is null),
    check (payload is not null or content_lost = 1)
) strict;

-- Live rows: drawn over the base, or open. All hot paths look only at these.
create index outbox_lane on outbox (lane, place, seq) where resolution is null and projected = 0;
-- Rows that may be claimed when their time has come, in enqueue order.
create index outbox_to_claim on outbox (seq, state, due_at, hold, not_before, lane, operation)
    where resolution is null and content_lost = 0 and state in ('queued', 'retryable_failed');
create index outbox_claimed on outbox (claim_epoch) where claim_token is not null;
create index outbox_in_doubt on outbox (seq, ask_at) where resolution is null and state = 'unknown';
create index outbox_held on outbox (hold) where resolution is null and hold is not null;
create index outbox_to_project on outbox (seq) where resolution is null and projected = 0 and state = 'acked';
create index outbox_counted on outbox (state, hold, content_lost, lane) where resolution is null;
create index outbox_received on outbox (updated_at) where resolution is null and state = 'acked';
create index outbox_decided on outbox (resolved_at) where resolution is not null;

create table outbox_history (
    seq        integer not null references outbox,
    step       integer not null,
    at         integer not null,
    from_state text,
    to_state   text    not null,
    event      text    not null,
    attempt    integer not null,
    code       text,
    primary key (seq, step)
) strict, without rowid;

-- The history is written by the database itself, so that no step can be without it.
create trigger outbox_accepted after insert on outbox begin
    insert into outbox_history (seq, step, at, from_state, to_state, event, attempt, code)
    values (new.seq, new.steps, new.stepped_at, null, new.state, new.event, new.attempt, new.event_code);
end;

create trigger outbox_stepped after update of steps on outbox begin
    insert into outbox_history (seq, step, at, from_state, to_state, event, attempt, code)
    values (new.seq, new.steps, new.stepped_at, old.state, new.state, new.event, new.attempt, new.event_code);
end;

create trigger outbox_steps_by_one before update on outbox
    when (new.state <> old.state or new.resolution is not old.resolution or new.projected <> old.projected
          or new.steps <> old.steps) and new.steps <> old.steps + 1
begin
    select raise(abort, 'a change moves by one recorded step at a time');
end;

create trigger outbox_sent_content_is_fixed
    before update of seq, intent_id, command_id, idempotency_key, operation, schema_version, lane, stands_for, expected,
                     payload, payload_hash, tenant_id, actor_id, session_version, issued_at, created_at on outbox
begin
    select raise(abort, 'what was saved of a change never changes');
end;

create trigger outbox_decided_is_final before update on outbox
    when old.resolution is not null and (new.state <> old.state or new.resolution is not old.resolution)
begin
    select raise(abort, 'a decided change keeps its state');
end;

create trigger outbox_open_rows_stay before delete on outbox when old.state <> 'acked' and old.resolution is null begin
    select raise(abort, 'an open change is never deleted');
end;

create trigger outbox_history_is_fixed before update on outbox_history begin
    select raise(abort, 'the history never changes');
end;

create trigger outbox_history_stays before delete on outbox_history begin
    select raise(abort, 'the history never changes');
end;

-- What the server last said, entity by entity.
create table base_entity (
    type       text    not null,
    id         text    not null,
    case_id    text,                       -- of a note or an activity
    seq        integer not null,           -- its feed position
    revision   integer not null,
    command_id text,                       -- the command that made this state
    body       text    not null,
    sync_round integer not null,           -- the full read that last brought it
    primary key (type, id)
) strict, without rowid;

create index base_of_case on base_entity (case_id, type, seq) where case_id is not null;
create index base_by_command on base_entity (command_id) where command_id is not null;
create index base_by_round on base_entity (sync_round);

-- The list: each shown case once, the base with the pending changes drawn over it.
create table case_view (
    place           integer primary key,
    id              text    not null unique,
    number          text,
    external_id     text,
    title           text    not null,
    address         text,
    description     text,
    kind            text    not null,
    status          text    not null,
    status_rank     integer not null,
    priority        text    not null,
    priority_rank   integer not null,
    due_on          text,
    assignee_id     text,
    assignee_name   text,
    tags            text    not null,
    pending_fields  text    not null,
    live_changes    integer not null,      -- rows drawn or open
    open_changes    integer not null,
    needs_you       integer not null check (needs_you in (0, 1))
) strict;

-- The order by due date also answers every count and most filters without touching the table.
create index case_view_due on case_view
    (due_on is null, due_on, id, status, priority, kind, assignee_id, live_changes, needs_you);
create index case_view_title on case_view (title collate nocase, id);
create index case_view_number on case_view (number is null, number, id);
create index case_view_status on case_view (status_rank, id);
create index case_view_priority on case_view (priority_rank, id);
create index case_view_assignee on case_view (assignee_name is null, assignee_name collate nocase, id);
create index case_view_of_assignee on case_view (assignee_id, due_on is null, due_on, id, status);
create index case_view_changed on case_view (due_on is null, due_on, id) where live_changes > 0;

create table case_tag (
    tag   text    not null,
    place integer not null references case_view on delete cascade,
    primary key (tag, place)
) strict, without rowid;
create index case_tag_of on case_tag (place);

create trigger case_view_tags_inserted after insert on case_view when new.tags <> '[]' begin
    insert into case_tag (tag, place) select distinct value, new.place from json_each(new.tags);
end;
create trigger case_view_tags_updated after update of tags on case_view when new.tags <> old.tags begin
    delete from case_tag where place = old.place;
    insert into case_tag (tag, place) select distinct value, new.place from json_each(new.tags);
end;

create virtual table case_text using fts5 (
    title, number, external_id, address, description,
    content = 'case_view', content_rowid = 'place', prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
);
create trigger case_view_text_inserted after insert on case_view begin
    insert into case_text (rowid, title, number, external_id, address, description)
    values (new.place, new.title, new.number, new.external_id, new.address, new.description);
end;
create trigger case_view_text_deleted after delete on case_view begin
    insert into case_text (case_text, rowid, title, number, external_id, address, description)
    values ('delete', old.place, old.title, old.number, old.external_id, old.address, old.description);
end;
create trigger case_view_text_updated after update of title, number, external_id, address, description on case_view
    when new.title <> old.title or new.number is not old.number or new.external_id is not old.external_id
      or new.address is not old.address or new.description is not old.description
begin
    insert into case_text (case_text, rowid, title, number, external_id, address, description)
    values ('delete', old.place, old.title, old.number, old.external_id, old.address, old.description);
    insert into case_text (rowid, title, number, external_id, address, description)
    values (new.place, new.title, new.number, new.external_id, new.address, new.description);
end;
