update command
   set reduced = 1, body = remains.value ->> 1
  from json_each(?2) as remains
 where command.tenant_id = ?1 and command.idempotency_key = remains.value ->> 0
