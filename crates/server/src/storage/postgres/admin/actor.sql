select actor.actor_id, actor.username, actor.display_name, actor.role, actor.disabled, actor.session_version,
       actor.revision, actor.created_at, tenant_head.feed_head
  from actor
  join tenant_head on tenant_head.tenant_id = $1
 where actor.tenant_id = $1 and actor.username = $2
