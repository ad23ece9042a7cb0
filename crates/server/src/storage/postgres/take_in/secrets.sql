-- SQLite: secrets that may still be used.
select tenant_id, endpoint_id, secret from webhook_endpoint where secret is not null and removed_at is null
union all
select tenant_id, endpoint_id, former_secret from webhook_endpoint where former_secret is not null and removed_at is null
