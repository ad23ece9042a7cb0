delete from command where tenant_id = ?1 and command_id in (select value from json_each(?2))
