update webhook_endpoint set disabled_at = ?3 where tenant_id = ?1 and endpoint_id = ?2 and disabled_at is null
returning url
