select tenant.feed_head, server.feed_epoch from tenant, server where tenant.tenant_id = ?1
