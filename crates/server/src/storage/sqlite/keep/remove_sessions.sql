delete from session where tenant_id = ?1 and session_id in (select value from json_each(?2))
