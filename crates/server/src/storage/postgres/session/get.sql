select session.session_id, actor.session_version, session.device_id, session.refresh_count, session.refresh_hash,
       session.rotated_at, tenant.tenant_id, tenant.slug, tenant.name, actor.actor_id, actor.username,
       actor.display_name, actor.role,
       session.ended_at is null and not actor.disabled and session.session_version = actor.session_version as is_valid
  from session
  join actor on actor.tenant_id = $1 and actor.actor_id = session.actor_id
  join tenant on tenant.tenant_id = $1
 where session.tenant_id = $1 and session.session_id = any ($2)
