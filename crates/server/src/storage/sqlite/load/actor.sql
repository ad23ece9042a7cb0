select role, disabled, session_version,
       (select min(created_at) from session
         where session.tenant_id = actor.tenant_id and session.actor_id = actor.actor_id) as first_session_at
  from actor
 where tenant_id = ?1 and actor_id = ?2
