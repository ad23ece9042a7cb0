-- Only who could see it hears that it is gone.
update entity
   set deleted = 1, revision = revision + 1, command_id = null, changed_at = ?3, body = 'null',
       seq = (select feed_head from tenant where tenant_id = ?1) + 1 + gone.key
  from json_each(?2) as gone
 where entity.tenant_id = ?1 and entity.entity_type = 'notification' and entity.entity_id = gone.value
