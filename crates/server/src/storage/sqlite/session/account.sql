select actor.tenant_id, actor.actor_id, actor.password_hash, actor.disabled
  from tenant
  join actor using (tenant_id)
 where tenant.slug = ?1 and actor.username = ?2
