-- Nothing is inserted if the account was disabled or got another password since it was compared. The account is held,
-- so that whoever ends its sessions meanwhile finds this one too.
insert into session (tenant_id, session_id, actor_id, session_version, device_id, device_name, refresh_count,
                     refresh_hash, rotated_at, created_at)
select tenant_id, $3, actor_id, session_version, $4, $5, 0, $6, $7, $7
  from actor
 where tenant_id = $1 and actor_id = $2 and not disabled and password_hash = $8
   for share
