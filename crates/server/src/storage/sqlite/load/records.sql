-- Two look-ups by index, forced by the cross join: an "or" would read every command of the tenant.
select idempotency_key, command_id, actor_id, operation, entity_type, entity_id, payload_hash, outcome, status, body,
       entity_revision, recorded_at, reduced
  from command
 where tenant_id = ?1
   and idempotency_key in (select value from json_each(?2)
                           union
                           select command.idempotency_key
                             from json_each(?3) as wanted
                            cross join command
                            where command.tenant_id = ?1 and command.command_id = wanted.value)
