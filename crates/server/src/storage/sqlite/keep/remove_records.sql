delete from command where tenant_id = ?1 and idempotency_key in (select value from json_each(?2))
