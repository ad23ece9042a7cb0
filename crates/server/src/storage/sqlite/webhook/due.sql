select tenant_id, endpoint_id, sink
  from webhook_endpoint e
 where removed_at is null and disabled_at is null
   and exists (select 1 from webhook_delivery d
                where d.tenant_id = e.tenant_id and d.endpoint_id = e.endpoint_id
                  and d.state = 'waiting' and d.due_at <= ?1)
