select entity_id
  from entity
 where tenant_id = $1 and entity_type = 'notification' and not deleted and changed_at < $2
   and body::jsonb ->> 'read_at' is not null
 order by changed_at
 limit $3
