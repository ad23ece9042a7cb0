select idempotency_key, command_id, actor_id, operation, entity_type, entity_id, payload_hash, outcome, status, body,
       entity_revision, recorded_at, reduced
  from command
 where tenant_id = ?1 and command_id in (select value from json_each(?2))
