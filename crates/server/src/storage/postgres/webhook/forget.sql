delete from webhook_delivery
 where tenant_id = $1
   and (webhook_id, endpoint_id) in
       (select webhook_id, endpoint_id
          from webhook_delivery
         where tenant_id = $1 and state in ('delivered', 'cancelled') and settled_at < $2
         order by settled_at limit 500)
