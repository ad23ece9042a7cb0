select tenant.feed_head, tenant.audit_seq, tenant.audit_hash, server.purge_horizon,
       coalesce((select last from case_number where tenant_id = ?1 and year = ?2), 0) as last_number,
       exists (select 1 from webhook_endpoint
                where tenant_id = ?1 and removed_at is null and disabled_at is null) as has_endpoints
  from tenant, server
 where tenant.tenant_id = ?1
