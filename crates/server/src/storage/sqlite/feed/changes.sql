select seq, entity_type, entity_id, revision, deleted, command_id, changed_at, body
  from entity
 where tenant_id = ?1 and seq > ?2 and (visible_to is null or visible_to = ?4)
 order by seq
 limit ?3
