delete from entity where tenant_id = ?1 and deleted = 1 and seq in (select value from json_each(?2))
