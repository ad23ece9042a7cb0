-- Sessions that are over, but for the first of each actor.
select session_id
  from session
 where tenant_id = ?1 and coalesce(ended_at, rotated_at) < ?2
   and exists (select 1 from session as earlier
                where earlier.tenant_id = ?1 and earlier.actor_id = session.actor_id
                  and (earlier.created_at, earlier.session_id) < (session.created_at, session.session_id))
 limit ?3
