update session set refresh_count = $3 + 1, refresh_hash = $4, rotated_at = $5
 where tenant_id = $1 and session_id = $2 and refresh_count = $3 and ended_at is null
