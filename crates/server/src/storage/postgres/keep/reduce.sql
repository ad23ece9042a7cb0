update command
   set reduced = true, body = remains.body
  from unnest($2::text[], $3::text[]) as remains (idempotency_key, body)
 where command.tenant_id = $1 and command.idempotency_key = remains.idempotency_key collate "C"
