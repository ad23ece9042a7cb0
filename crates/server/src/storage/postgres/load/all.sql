-- What a group needs to know, one kind of row after the other, told apart by `what`; the columns are named by what they
-- hold of a key record. $1 tenant, $2 command ids, $3 sessions, $4 actors, $5 and $6 entities by type and id,
-- $7 external ids, $8 members that may be given work, $9 the year that case numbers are given in.
--
-- In tables that have more than one index, each row is looked up as the first one at or after what is wanted, in the
-- order of the index that has it: a plan that was made while the table was small, and is kept, could otherwise walk
-- along any other index of the tenant.
select case when reduced then 'reduced' else 'record' end as what, next.command_id, actor_id, idempotency_key, operation,
       entity_type, entity_id, payload_hash, outcome, status, body, entity_revision, recorded_at
  from unnest($2::uuid[]) as wanted (command_id)
 cross join lateral (select * from command
                      where tenant_id = $1 and command_id >= wanted.command_id order by command_id limit 1) as next
 where next.command_id = wanted.command_id
union all
-- The sessions that still stand, with their actors.
select 'session', next.session_id, next.actor_id, null, null, null, null, null, null, null, null, null, null
  from unnest($3::uuid[]) as wanted (session_id)
 cross join lateral (select * from session
                      where tenant_id = $1 and session_id >= wanted.session_id order by session_id limit 1) as next
  join actor on actor.tenant_id = $1 and actor.actor_id = next.actor_id
 where next.session_id = wanted.session_id and next.ended_at is null
   and next.session_version = actor.session_version and not actor.disabled
union all
-- With the role, whether the account is disabled, the version of its sessions, and when the first one began.
select 'actor', null, actor_id, null, role, null, null, null, null, disabled::integer, null, session_version,
       (select min(created_at) from session where session.tenant_id = $1 and session.actor_id = actor.actor_id)
  from actor
 where tenant_id = $1 and actor_id = any ($4)
union all
-- Oldest first.
(select 'role', null, actor_id, null, role, null, null, null, null, null, null, null, since
   from actor_role
  where tenant_id = $1 and actor_id = any ($4)
  order by actor_id, change)
union all
-- What is gone is told by its id, with the actor who alone could see it.
select case when next.deleted then 'gone' else 'entity' end, case when next.deleted then next.entity_id end,
       case when next.deleted then next.visible_to end, null, null, next.entity_type, null, null, null, null, next.body,
       null, null
  from unnest($5::text[], $6::uuid[]) as wanted (entity_type, entity_id)
 cross join lateral (select * from entity
                      where tenant_id = $1 and entity.entity_type = wanted.entity_type
                        and entity.entity_id >= wanted.entity_id
                      order by entity.entity_id limit 1) as next
 where next.entity_id = wanted.entity_id
union all
select 'external', null, null, external_id, null, null, null, null, null, null, null, null, null
  from case_external_id
 where tenant_id = $1 and external_id = any ($7)
union all
select 'member', null, actor_id, null, null, null, null, null, null, null, null, null, null
  from actor
 where tenant_id = $1 and actor_id = any ($8) and not disabled
union all
-- The last case number given this year, the purge horizon, and whether somebody is told of events.
select 'counters', null, null, null, null, null, null, null, null,
       exists (select 1 from webhook_endpoint
                where tenant_id = $1 and removed_at is null and disabled_at is null)::integer, null,
       coalesce((select last from case_number where tenant_id = $1 and year = $9), 0), purge_horizon
  from server
