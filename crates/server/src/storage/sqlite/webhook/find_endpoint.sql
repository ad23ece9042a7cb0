select endpoint_id, url from webhook_endpoint
 where tenant_id = ?1 and removed_at is null and (endpoint_id = ?2 or url = ?3)
