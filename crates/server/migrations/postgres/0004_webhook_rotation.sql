-- The secret that an endpoint had before: deliveries are signed with it as well until its receivers know the new one.

alter table webhook_endpoint
    add column former_secret bytea,                  -- sealed like the other one
    add column former_until  bigint,
    add check ((former_secret is null) = (former_until is null));
