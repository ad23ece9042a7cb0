-- Entities and their places in the feed. Every row is one fault: whose, and what in words.
select slug, 'the feed goes up to ' || highest || ', the head is ' || feed_head
  from (select slug, feed_head,
               (select coalesce(max(seq), 0) from entity where entity.tenant_id = tenant.tenant_id) as highest
          from tenant)
 where highest > feed_head
union all
select slug, 'tombstones were removed up to ' || tombstone_floor || ' of the feed, the head is ' || feed_head
  from tenant
 where tombstone_floor > feed_head
union all
select slug, entity_type || ' ' || entity_id || ' is at position ' || seq || ' and revision ' || revision
  from entity
  join tenant using (tenant_id)
 where seq < 1 or revision < 1
union all
-- Removed records are no longer asked for.
select slug, entity_type || ' ' || entity_id || ' was made by ' || command_id || ', which is not committed'
  from entity
  join tenant using (tenant_id)
 where command_id is not null
   and replace(command_id, '-', '') >= (select printf('%012x', purge_horizon) from server)
   and not exists (select 1 from command where command.tenant_id = entity.tenant_id
                      and command.command_id = entity.command_id and command.outcome = 'committed')
union all
select slug, entity_type || ' ' || entity_id || ' is gone and has a body'
  from entity
  join tenant using (tenant_id)
 where deleted = 1 and body <> 'null'
union all
select slug, entity_type || ' ' || entity_id || ' has the body of another, or of another revision'
  from entity
  join tenant using (tenant_id)
 where deleted = 0
   and (body ->> 'id' is not entity_id or body ->> 'revision' is not revision)
union all
select slug, entity_type || ' ' || entity_id || ' is of a case that is not there'
  from entity
  join tenant using (tenant_id)
 where deleted = 0 and entity_type not in ('case', 'member')
   and not exists (select 1 from entity as parent
                    where parent.tenant_id = entity.tenant_id and parent.entity_type = 'case'
                      and parent.entity_id = entity.body ->> 'case_id')
union all
select slug, entity_type || ' ' || entity_id || ' is not to be seen by its reader alone'
  from entity
  join tenant using (tenant_id)
 where entity_type = 'notification'
   and (visible_to is null or deleted = 0 and visible_to is not body ->> 'recipient_id')
