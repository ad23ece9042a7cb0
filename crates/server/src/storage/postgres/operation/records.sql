select idempotency_key, command_id, actor_id, operation, entity_type, entity_id, payload_hash, outcome, status, body,
       entity_revision, recorded_at
  from command
 where tenant_id = $1 and idempotency_key = any ($2)
union all
-- The same command under another key.
select idempotency_key, command_id, actor_id, operation, entity_type, entity_id, payload_hash, outcome, status, body,
       entity_revision, recorded_at
  from command
 where tenant_id = $1 and command_id = any ($3)
