select since, role
  from actor_role
 where tenant_id = ?1 and actor_id = ?2
 order by change
