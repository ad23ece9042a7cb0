-- Only who could see it hears that it is gone. $1 tenant, $2 notifications, $3 now.
with head as (
    update tenant_head set feed_head = feed_head + cardinality($2::uuid[]) where tenant_id = $1 returning feed_head
)
update entity
   set deleted = true, revision = revision + 1, command_id = null, changed_at = $3, body = 'null',
       seq = head.feed_head - cardinality($2::uuid[]) + gone.place
  from head, unnest($2::uuid[]) with ordinality as gone (entity_id, place)
 where entity.tenant_id = $1 and entity.entity_type = 'notification' and entity.entity_id = gone.entity_id
