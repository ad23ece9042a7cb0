delete from refresh_use where tenant_id = $1 and session_id = $2 and used_at < $3
