insert into webhook_endpoint (tenant_id, endpoint_id, sink, url, secret, events, allow_private, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (tenant_id, url) where removed_at is null do nothing
