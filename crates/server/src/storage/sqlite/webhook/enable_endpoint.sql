update webhook_endpoint set disabled_at = null where tenant_id = ?1 and endpoint_id = ?2
