select 1
  from tenant_head
 where tenant_id = current_setting('onceover.tenant')::uuid
   for share
