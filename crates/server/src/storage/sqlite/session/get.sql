select session.session_id, actor.session_version, session.device_id, session.refresh_count, session.refresh_hash,
       session.rotated_at, tenant.tenant_id, tenant.slug, tenant.name, actor.actor_id, actor.username,
       actor.display_name, actor.role,
       session.ended_at is null and actor.disabled = 0 and session.session_version = actor.session_version as is_valid
  from session
  join actor using (tenant_id, actor_id)
  join tenant using (tenant_id)
 where session.tenant_id = ?1 and session.session_id = ?2
