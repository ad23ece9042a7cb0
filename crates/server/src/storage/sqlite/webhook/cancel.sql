update webhook_delivery
   set state = 'cancelled', lease_token = null, settled_at = coalesce(settled_at, ?3)
 where tenant_id = ?1 and endpoint_id = ?2 and state in ('waiting', 'dead')
