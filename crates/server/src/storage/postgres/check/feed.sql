-- Entities and their places in the feed. Every row is one fault of the tenant $1, in words.
select 'the feed goes up to ' || highest || ', the head is ' || feed_head as fault
  from tenant_head, (select coalesce(max(seq), 0) as highest from entity where tenant_id = $1) as feed
 where tenant_head.tenant_id = $1 and highest > feed_head
union all
select 'it has no row in tenant_head'
 where not exists (select 1 from tenant_head where tenant_id = $1)
union all
select 'tombstones were removed up to ' || tombstone_floor || ' of the feed, the head is ' || feed_head
  from tenant
  join tenant_head using (tenant_id)
 where tenant_id = $1 and tombstone_floor > feed_head
union all
select entity_type || ' ' || entity_id || ' is at position ' || seq || ' and revision ' || revision
  from entity
 where tenant_id = $1 and (seq < 1 or revision < 1)
union all
-- Removed records are no longer asked for.
select entity_type || ' ' || entity_id || ' was made by ' || command_id || ', which is not committed'
  from entity
 where tenant_id = $1 and command_id is not null
   and replace(command_id::text, '-', '') collate "C" >= (select lpad(to_hex(purge_horizon), 12, '0') from server)
   and not exists (select 1 from command where command.tenant_id = $1 and command.command_id = entity.command_id
                      and command.outcome = 'committed')
union all
select entity_type || ' ' || entity_id || ' is gone and has a body'
  from entity
 where tenant_id = $1 and deleted and body <> 'null'
union all
select entity_type || ' ' || entity_id || ' has the body of another, or of another revision'
  from entity
 where tenant_id = $1 and not deleted
   and (body::jsonb ->> 'id' is distinct from entity_id::text
        or body::jsonb ->> 'revision' is distinct from revision::text)
union all
select entity_type || ' ' || entity_id || ' is of a case that is not there'
  from entity
 where tenant_id = $1 and not deleted and entity_type not in ('case', 'member')
   and not exists (select 1 from entity as parent
                    where parent.tenant_id = $1 and parent.entity_type = 'case'
                      and parent.entity_id = (entity.body::jsonb ->> 'case_id')::uuid)
union all
select entity_type || ' ' || entity_id || ' is not to be seen by its reader alone'
  from entity
 where tenant_id = $1 and entity_type = 'notification'
   and (visible_to is null or not deleted and visible_to::text is distinct from body::jsonb ->> 'recipient_id')
