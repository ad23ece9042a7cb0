-- Every row is something that is whole and needs a person, in words.
select 'tenant ' || slug || ': ' || count(*) || ' webhook dead letter(s) for ' || url
  from tenant
  join webhook_endpoint e using (tenant_id)
  join webhook_delivery d using (tenant_id, endpoint_id)
 where d.state = 'dead'
 group by tenant_id, endpoint_id
union all
select 'tenant ' || slug || ': the endpoint ' || url || ' is disabled, it answered 410 Gone'
  from tenant
  join webhook_endpoint e using (tenant_id)
 where disabled_at is not null and removed_at is null
