select endpoint_id, sink
  from webhook_endpoint e
 where e.tenant_id = $1 and e.removed_at is null and e.disabled_at is null
   and exists (select 1 from webhook_delivery d
                where d.tenant_id = $1 and d.endpoint_id = e.endpoint_id and d.state = 'waiting' and d.due_at <= $2)
