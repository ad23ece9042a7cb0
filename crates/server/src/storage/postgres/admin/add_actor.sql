insert into actor (tenant_id, actor_id, username, display_name, role, password_hash, disabled, session_version,
                   revision, created_at)
values ($1, $2, $3, $4, $5, $6, $7, 1, 0, $8)
    on conflict (tenant_id, username) do nothing
