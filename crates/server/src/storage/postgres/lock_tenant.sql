select feed_head, audit_seq, audit_hash
  from tenant_head
 where tenant_id = current_setting('onceover.tenant')::uuid
   for update
