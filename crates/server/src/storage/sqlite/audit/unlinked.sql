select tenant_id from tenant where exists (select 1 from audit where audit.tenant_id = tenant.tenant_id and seq = 1 and hash = '')
