-- Every row is one fault of the tenant $1, in words.
select 'the feed goes up to ' || highest || ', the head is ' || feed_head as fault
  from tenant_head, (select coalesce(max(seq), 0) as highest from entity where tenant_id = $1) as feed
 where tenant_head.tenant_id = $1 and highest > feed_head
union all
select 'it has no row in tenant_head'
 where not exists (select 1 from tenant_head where tenant_id = $1)
union all
select 'the committed command ' || command_id || ' has no effect'
  from command
 where tenant_id = $1 and outcome = 'committed'
   and not exists (select 1 from entity where entity.tenant_id = $1 and entity.entity_type = 'activity'
                      and entity.entity_id = command.command_id)
union all
select entity_type || ' ' || entity_id || ' was made by ' || command_id || ', which is not committed'
  from entity
 where tenant_id = $1 and command_id is not null
   and not exists (select 1 from command where command.tenant_id = $1 and command.command_id = entity.command_id
                      and command.outcome = 'committed')
union all
select 'the delivery of ' || webhook_id || ' is for ' || endpoint_id || ', which is no endpoint'
  from webhook_delivery
 where tenant_id = $1
   and not exists (select 1 from webhook_endpoint where webhook_endpoint.tenant_id = $1
                      and webhook_endpoint.endpoint_id = webhook_delivery.endpoint_id)
