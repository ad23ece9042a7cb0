insert into actor_role (tenant_id, actor_id, change, role, since)
select $1, $2, coalesce(max(change), 0) + 1, $3, $4 from actor_role where tenant_id = $1 and actor_id = $2
