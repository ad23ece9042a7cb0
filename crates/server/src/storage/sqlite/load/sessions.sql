-- The sessions that still stand, with their actors.
select session.session_id, session.actor_id
  from session
  join actor using (tenant_id, actor_id)
 where session.tenant_id = ?1
   and session.session_id in (select value from json_each(?2))
   and session.ended_at is null
   and session.session_version = actor.session_version
   and actor.disabled = 0
