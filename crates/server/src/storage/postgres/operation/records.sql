-- Each key is looked up as the first one at or after it, in the order of the index that has it: a plan that was made
-- while the table was small, and is kept, could otherwise walk along any other index of the tenant.
select idempotency_key, command_id, actor_id, operation, entity_type, entity_id, payload_hash, outcome, status, body,
       entity_revision, recorded_at, reduced
  from unnest($2::text[]) as wanted (key)
 cross join lateral (select * from command
                      where tenant_id = $1 and idempotency_key >= wanted.key order by idempotency_key limit 1) as next
 where idempotency_key = wanted.key
union all
-- The same command under another key.
select idempotency_key, next.command_id, actor_id, operation, entity_type, entity_id, payload_hash, outcome, status, body,
       entity_revision, recorded_at, reduced
  from unnest($3::uuid[]) as wanted (command_id)
 cross join lateral (select * from command
                      where tenant_id = $1 and command_id >= wanted.command_id order by command_id limit 1) as next
 where next.command_id = wanted.command_id
