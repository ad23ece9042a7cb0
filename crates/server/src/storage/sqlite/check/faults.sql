-- Every row is one fault, in words.
select 'tenant ' || slug || ': the feed goes up to ' || highest || ', the head is ' || feed_head
  from (select slug, feed_head,
               (select coalesce(max(seq), 0) from entity where entity.tenant_id = tenant.tenant_id) as highest
          from tenant)
 where highest > feed_head
union all
select 'tenant ' || tenant_id || ': the committed command ' || command_id || ' has no effect'
  from command
 where outcome = 'committed'
   and not exists (select 1 from entity where entity.tenant_id = command.tenant_id
                      and entity.entity_type = 'activity' and entity.entity_id = command.command_id)
union all
select 'tenant ' || tenant_id || ': ' || entity_type || ' ' || entity_id || ' was made by ' || command_id || ', which is not committed'
  from entity
 where command_id is not null
   and not exists (select 1 from command where command.tenant_id = entity.tenant_id
                      and command.command_id = entity.command_id and command.outcome = 'committed')
