select 1 from session where tenant_id = $1 and session_id = $2 for update
