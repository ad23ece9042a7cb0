select tenant_head.feed_head, server.feed_epoch
  from tenant_head, server
 where tenant_head.tenant_id = current_setting('onceover.tenant')::uuid
