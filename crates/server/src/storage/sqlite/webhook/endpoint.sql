select url, secret, allow_private, former_secret, former_until
  from webhook_endpoint
 where tenant_id = ?1 and endpoint_id = ?2 and removed_at is null and disabled_at is null
