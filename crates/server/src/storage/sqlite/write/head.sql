update tenant set feed_head = ?2 where tenant_id = ?1
