-- Where events go, and every event that is on its way there. A delivery is written in the transaction of the command
-- it tells of, so that neither is there without the other.

create table webhook_endpoint (
    tenant_id     uuid             not null references tenant,
    endpoint_id   uuid             not null,
    sink          text             not null check (sink in ('http', 'mail')),
    url           text collate "C" not null,
    secret        bytea,                             -- sealed under the server key; mail is not signed
    events        text[]           not null,         -- the names of those it wants
    allow_private boolean          not null,
    created_at    bigint           not null,
    disabled_at   bigint,                            -- since it answered 410 Gone
    removed_at    bigint,
    primary key (tenant_id, endpoint_id),
    check ((sink = 'http') = (secret is not null))
);
create unique index webhook_endpoint_url on webhook_endpoint (tenant_id, url) where removed_at is null;

create table webhook_delivery (
    tenant_id    uuid             not null,
    webhook_id   text collate "C" not null,          -- the event's: the same at every attempt
    endpoint_id  uuid             not null,
    event        text             not null,
    body         text             not null,          -- what is sent, byte for byte, at every attempt
    created_at   bigint           not null,
    state        text             not null check (state in ('waiting', 'delivered', 'dead', 'cancelled')),
    due_at       bigint           not null,          -- when it may be claimed; while it is claimed, when the lease ends
    lease_token  uuid,                               -- whose attempt runs
    attempt      bigint           not null default 0,   -- how many were begun since it was made or sent again
    give_up_at   bigint           not null,          -- no attempt is planned after this
    attempted_at bigint,
    failure      text,                               -- why the last attempt ended without success
    status       bigint,                             -- what the receiver answered
    note         text,                               -- the beginning of what it said besides
    settled_at   bigint,
    primary key (tenant_id, webhook_id, endpoint_id),
    check (state = 'waiting' or lease_token is null),
    check ((state = 'waiting') = (settled_at is null))
) with (fillfactor = 70);
create index webhook_delivery_due on webhook_delivery (tenant_id, endpoint_id, due_at) where state = 'waiting';
create index webhook_delivery_dead on webhook_delivery (tenant_id, endpoint_id, settled_at) where state = 'dead';
create index webhook_delivery_done on webhook_delivery (tenant_id, settled_at) where state in ('delivered', 'cancelled');

-- When something of each tenant may be due: never later than it is. Whoever carries events out looks here, across
-- tenants, before it enters one; a tenant has its row from its first endpoint on.
create table webhook_due (
    tenant_id uuid not null primary key references tenant,
    due_at    bigint                                 -- null: nothing waits
) with (fillfactor = 20);

alter table webhook_endpoint enable row level security;
alter table webhook_endpoint force row level security;
create policy own on webhook_endpoint using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert, update on webhook_endpoint to onceover_app;

alter table webhook_delivery enable row level security;
alter table webhook_delivery force row level security;
create policy own on webhook_delivery using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
grant select, insert, update, delete on webhook_delivery to onceover_app;

alter table webhook_due enable row level security;
alter table webhook_due force row level security;
create policy own on webhook_due using (tenant_id = nullif(current_setting('onceover.tenant', true), '')::uuid);
create policy across on webhook_due for select using (current_setting('onceover.across', true) = 'deliveries');
grant select, insert, update on webhook_due to onceover_app;
