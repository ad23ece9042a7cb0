-- The secret goes at once; the row stays for as long as deliveries name it, and what is checked stays true.
with cancelled as (
    update webhook_delivery
       set state = 'cancelled', lease_token = null, settled_at = coalesce(settled_at, $3)
     where tenant_id = $1 and endpoint_id = $2 and state in ('waiting', 'dead')
)
update webhook_endpoint
   set removed_at = $3, secret = case when secret is not null then ''::bytea end,
       former_secret = null, former_until = null
 where tenant_id = $1 and endpoint_id = $2
