select entity_id
  from entity
 where tenant_id = ?1 and entity_type = 'notification' and deleted = 0 and changed_at < ?2
   and body ->> 'read_at' is not null
 order by changed_at
 limit ?3
