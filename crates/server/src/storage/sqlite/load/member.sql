-- Somebody who can be given work.
select 1 from actor where tenant_id = ?1 and actor_id = ?2 and disabled = 0
