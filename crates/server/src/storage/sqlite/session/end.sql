update session set ended_at = ?3 where tenant_id = ?1 and session_id = ?2 and ended_at is null
returning actor_id
