select tenant_head.feed_head, tenant.tombstone_floor, server.feed_epoch
  from tenant_head
  join tenant using (tenant_id), server
 where tenant_head.tenant_id = current_setting('onceover.tenant')::uuid
