select count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'dead') as dead
  from webhook_endpoint e
  join webhook_delivery d on d.tenant_id = e.tenant_id and d.endpoint_id = e.endpoint_id
 where e.tenant_id = $1 and d.state in ('waiting', 'dead')
