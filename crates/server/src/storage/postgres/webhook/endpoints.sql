select endpoint_id, url, events, allow_private, created_at, disabled_at, former_until,
       (select count(*) from webhook_delivery d
         where d.tenant_id = e.tenant_id and d.endpoint_id = e.endpoint_id and d.state = 'waiting') as waiting,
       (select count(*) from webhook_delivery d
         where d.tenant_id = e.tenant_id and d.endpoint_id = e.endpoint_id and d.state = 'dead') as dead
  from webhook_endpoint e
 where tenant_id = $1 and removed_at is null
 order by created_at, endpoint_id
