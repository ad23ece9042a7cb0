select actor.tenant_id, actor.actor_id, actor.username, actor.display_name, actor.role, actor.disabled,
       actor.session_version, actor.revision, actor.created_at, tenant.feed_head
  from tenant
  join actor using (tenant_id)
 where tenant.slug = ?1 and actor.username = ?2
