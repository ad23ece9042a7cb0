-- Each id is looked up as the first one at or after it, in the order of the index that has it: a plan that was made
-- while the table was small, and is kept, could otherwise walk along any other index of the tenant.
select idempotency_key, next.command_id, actor_id, operation, entity_type, entity_id, payload_hash, outcome, status, body,
       entity_revision, recorded_at, reduced
  from unnest($2::uuid[]) as wanted (command_id)
 cross join lateral (select * from command
                      where tenant_id = $1 and command_id >= wanted.command_id order by command_id limit 1) as next
 where next.command_id = wanted.command_id
