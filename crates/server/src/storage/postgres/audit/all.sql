-- Read through, which an administrator can wait for: an index by command or by target would strew every commit over the
-- file.
select seq, hash, command_id, idempotency_key, actor_id, tenant_id, entity_type, entity_id, operation, previous_revision,
       next_revision, result, code, authority, session_version, issued_under, request_id, occurred_at
  from audit
 where tenant_id = $1 and ($2::text is null or command_id = $2) and ($3::text is null or entity_id = $3)
 order by seq
