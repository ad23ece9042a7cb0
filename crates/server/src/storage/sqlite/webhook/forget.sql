delete from webhook_delivery
 where (tenant_id, webhook_id, endpoint_id) in
       (select d.tenant_id, webhook_id, endpoint_id
          from tenant t
          join webhook_delivery d on d.tenant_id = t.tenant_id and state in ('delivered', 'cancelled') and settled_at < ?1
         limit 500)
