delete from session where tenant_id = $1 and session_id = any ($2)
