select body from entity
 where tenant_id = ?1 and entity_type = 'case' and entity_id in (select value from json_each(?2))
