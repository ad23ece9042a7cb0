insert into refresh_use (tenant_id, session_id, refresh_count, used_at) values ($1, $2, $3, $4)
