select used_at from refresh_use where tenant_id = $1 and session_id = $2 and refresh_count = $3
