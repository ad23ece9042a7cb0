update session set ended_at = $3 where tenant_id = $1 and actor_id = $2 and ended_at is null
