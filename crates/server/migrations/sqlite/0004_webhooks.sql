-- Where events go, and every event that is on its way there. A delivery is written in the transaction of the command
-- it tells of, so that neither is there without the other.

create table webhook_endpoint (
    tenant_id     text    not null references tenant,
    endpoint_id   text    not null,
    sink          text    not null check (sink in ('http', 'mail')),
    url           text    not null,
    secret        blob,                            -- sealed under the server key; mail is not signed
    events        text    not null check (json_valid(events)),   -- the names of those it wants
    allow_private integer not null check (allow_private in (0, 1)),
    created_at    integer not null,
    disabled_at   integer,                         -- since it answered 410 Gone
    removed_at    integer,
    primary key (tenant_id, endpoint_id),
    check ((sink = 'http') = (secret is not null))
) strict, without rowid;
create unique index webhook_endpoint_url on webhook_endpoint (tenant_id, url) where removed_at is null;

create table webhook_delivery (
    tenant_id    text    not null,
    webhook_id   text    not null,                 -- the event's: the same at every attempt
    endpoint_id  text    not null,
    event        text    not null,
    body         text    not null,                 -- what is sent, byte for byte, at every attempt
    created_at   integer not null,
    state        text    not null check (state in ('waiting', 'delivered', 'dead', 'cancelled')),
    due_at       integer not null,                 -- when it may be claimed; while it is claimed, when the lease ends
    lease_token  text,                             -- whose attempt runs
    attempt      integer not null default 0,       -- how many were begun since it was made or sent again
    give_up_at   integer not null,                 -- no attempt is planned after this
    attempted_at integer,
    failure      text,                             -- why the last attempt ended without success
    status       integer,                          -- what the receiver answered
    note         text,                             -- the beginning of what it said besides
    settled_at   integer,
    primary key (tenant_id, webhook_id, endpoint_id),
    foreign key (tenant_id, endpoint_id) references webhook_endpoint,
    check (state = 'waiting' or lease_token is null),
    check ((state = 'waiting') = (settled_at is null))
) strict, without rowid;
create index webhook_delivery_due on webhook_delivery (tenant_id, endpoint_id, due_at) where state = 'waiting';
create index webhook_delivery_dead on webhook_delivery (tenant_id, endpoint_id, settled_at) where state = 'dead';
create index webhook_delivery_done on webhook_delivery (tenant_id, settled_at) where state in ('delivered', 'cancelled');
