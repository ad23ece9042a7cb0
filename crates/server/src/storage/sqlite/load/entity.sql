select deleted, visible_to, body from entity where tenant_id = ?1 and entity_type = ?2 and entity_id = ?3
