update webhook_endpoint set former_secret = null, former_until = null
 where tenant_id = ?1 and endpoint_id = ?2 and former_until <= ?3
