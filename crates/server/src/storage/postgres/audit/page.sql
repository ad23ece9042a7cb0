-- A piece of a tenant's chain.
select seq, hash, command_id, idempotency_key, actor_id, tenant_id, entity_type, entity_id, operation, previous_revision,
       next_revision, result, code, authority, session_version, issued_under, request_id, occurred_at
  from audit
 where tenant_id = $1 and seq > $2
 order by seq
 limit $3
