insert into audit (tenant_id, seq, hash, command_id, idempotency_key, actor_id, entity_type, entity_id, operation,
                   previous_revision, next_revision, result, code, authority, session_version, issued_under, request_id,
                   occurred_at)
select ?1, value ->> 'seq', value ->> 'hash', value ->> 'command_id', value ->> 'key', value ->> 'actor_id',
       value ->> 'entity_type', value ->> 'entity_id', value ->> 'operation', value ->> 'previous_revision',
       value ->> 'next_revision', value ->> 'result', value ->> 'code', value ->> 'authority',
       value ->> 'session_version', value ->> 'issued_under', value ->> 'request_id', value ->> 'occurred_at'
  from json_each(?2)
