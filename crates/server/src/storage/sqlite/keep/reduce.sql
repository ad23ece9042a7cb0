update command
   set reduced = 1,
       body = (select wanted.value ->> 1 from json_each(?2) as wanted
                where wanted.value ->> 0 = command.idempotency_key)
 where tenant_id = ?1 and idempotency_key in (select value ->> 0 from json_each(?2))
