select actor_id, role, since
  from actor_role
 where tenant_id = ?1 and actor_id in (select value from json_each(?2))
 order by actor_id, change
