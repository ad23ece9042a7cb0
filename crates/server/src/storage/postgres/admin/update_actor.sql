update actor
   set role = $3, disabled = $4, session_version = $5, revision = $6, password_hash = coalesce($7, password_hash)
 where tenant_id = $1 and actor_id = $2
