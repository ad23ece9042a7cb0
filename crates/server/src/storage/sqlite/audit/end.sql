select audit_seq, audit_hash from tenant where tenant_id = ?1
