-- Every row is something that is whole and needs a person, in words.
select count(*) || ' webhook dead letter(s) for ' || e.url as warning
  from webhook_endpoint e
  join webhook_delivery d on d.tenant_id = e.tenant_id and d.endpoint_id = e.endpoint_id
 where e.tenant_id = $1 and d.state = 'dead'
 group by e.endpoint_id, e.url
union all
select 'the endpoint ' || url || ' is disabled, it answered 410 Gone'
  from webhook_endpoint
 where tenant_id = $1 and disabled_at is not null and removed_at is null
