select seq, entity_type, entity_id, revision, command_id, changed_at, body
  from entity
 where tenant_id = ?1 and seq > ?2
 order by seq
 limit ?3
