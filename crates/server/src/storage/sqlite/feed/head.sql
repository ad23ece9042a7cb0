select tenant.feed_head, tenant.tombstone_floor, server.feed_epoch from tenant, server where tenant.tenant_id = ?1
