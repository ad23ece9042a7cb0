-- Every row is one fault, in words.
select 'tenant ' || slug || ': the feed has ' || found || ' positions up to ' || highest || ', the head is ' || feed_head
  from (select slug, feed_head,
               (select count(*) from effect where effect.tenant_id = tenant.tenant_id) as found,
               (select coalesce(max(seq), 0) from effect where effect.tenant_id = tenant.tenant_id) as highest
          from tenant)
 where found <> feed_head or highest <> feed_head
union all
select 'tenant ' || tenant_id || ': the effect at position ' || seq || ' has no committed command ' || command_id
  from effect
 where command_id is not null
   and not exists (select 1 from command where command.tenant_id = effect.tenant_id
                      and command.command_id = effect.command_id and command.outcome = 'committed')
union all
select 'tenant ' || tenant_id || ': the committed command ' || command_id || ' has no effect'
  from command
 where outcome = 'committed'
   and not exists (select 1 from entity where entity.tenant_id = command.tenant_id
                      and entity.entity_type = 'activity' and entity.entity_id = command.command_id)
union all
select 'tenant ' || tenant_id || ': ' || entity_type || ' ' || entity_id || ' is not what its effect at position ' || seq || ' left'
  from entity
 where not exists (select 1 from effect where effect.tenant_id = entity.tenant_id and effect.seq = entity.seq
                      and effect.entity_type = entity.entity_type and effect.entity_id = entity.entity_id
                      and effect.revision = entity.revision)
