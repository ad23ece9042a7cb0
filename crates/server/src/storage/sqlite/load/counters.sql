select tenant.feed_head, tenant.audit_seq, tenant.audit_hash, server.purge_horizon,
       coalesce((select last from case_number where tenant_id = ?1 and year = ?2), 0) as last_number
  from tenant, server
 where tenant.tenant_id = ?1
