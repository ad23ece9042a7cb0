update webhook_delivery
   set state = $5, due_at = coalesce($6, due_at), lease_token = null,
       settled_at = case when $5 <> 'waiting' then $7::bigint end, failure = $8, status = $9, note = $10
 where tenant_id = $1 and webhook_id = $2 and endpoint_id = $3 and state = 'waiting' and lease_token = $4
