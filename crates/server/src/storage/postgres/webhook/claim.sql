-- What another node is claiming at this moment is passed by.
with picked as materialized (
    select webhook_id
      from webhook_delivery
     where tenant_id = $1 and endpoint_id = $2 and state = 'waiting' and due_at <= $3
     order by due_at, webhook_id
     limit $4
       for update skip locked
)
update webhook_delivery d
   set lease_token = $5, due_at = $6, attempt = d.attempt + 1, attempted_at = $3,
       failure = null, status = null, note = null
  from picked
 where d.tenant_id = $1 and d.endpoint_id = $2 and d.webhook_id = picked.webhook_id
returning d.webhook_id, d.body, d.created_at, d.attempt, d.give_up_at
