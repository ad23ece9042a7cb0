select tenant_id, slug, audit_seq, audit_hash from tenant
