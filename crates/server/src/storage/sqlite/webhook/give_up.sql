-- What still waits for an endpoint that wants nothing any more.
update webhook_delivery
   set state = 'dead', lease_token = null, settled_at = ?3, failure = ?4
 where tenant_id = ?1 and endpoint_id = ?2 and state = 'waiting'
