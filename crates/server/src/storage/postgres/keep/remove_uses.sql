delete from refresh_use where tenant_id = $1 and session_id = any ($2)
