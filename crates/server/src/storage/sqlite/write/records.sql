insert into command (tenant_id, idempotency_key, command_id, actor_id, operation, entity_type, entity_id, payload_hash,
                     outcome, status, body, entity_revision, recorded_at)
select ?1, value ->> 'key', value ->> 'command_id', value ->> 'actor_id', value ->> 'operation',
       value ->> 'entity_type', value ->> 'entity_id', value ->> 'payload_hash', value ->> 'outcome',
       value ->> 'status', value ->> 'body', value ->> 'entity_revision', value ->> 'recorded_at'
  from json_each(?2)
