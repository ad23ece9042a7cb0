-- Looked up one by one by key, forced by the cross join.
select entity.entity_type, entity.entity_id, entity.deleted, entity.visible_to, entity.body
  from json_each(?2) as wanted
 cross join entity
 where entity.tenant_id = ?1 and entity.entity_type = wanted.value ->> 0 and entity.entity_id = wanted.value ->> 1
