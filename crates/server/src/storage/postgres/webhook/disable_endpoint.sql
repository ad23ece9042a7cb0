-- What still waits for it is given up.
with dead as (
    update webhook_delivery
       set state = 'dead', lease_token = null, settled_at = $3, failure = $4
     where tenant_id = $1 and endpoint_id = $2 and state = 'waiting'
)
update webhook_endpoint set disabled_at = $3 where tenant_id = $1 and endpoint_id = $2 and disabled_at is null
returning url
