-- Whose session it is, if it still stands.
select session.actor_id
  from session
  join actor using (tenant_id, actor_id)
 where session.tenant_id = ?1
   and session.session_id = ?2
   and session.ended_at is null
   and session.session_version = actor.session_version
   and actor.disabled = 0
