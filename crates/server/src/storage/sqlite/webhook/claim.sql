update webhook_delivery
   set lease_token = ?5, due_at = ?6, attempt = attempt + 1, attempted_at = ?3,
       failure = null, status = null, note = null
 where tenant_id = ?1 and endpoint_id = ?2
   and webhook_id in (select webhook_id from webhook_delivery
                       where tenant_id = ?1 and endpoint_id = ?2 and state = 'waiting' and due_at <= ?3
                       order by due_at, webhook_id limit ?4)
returning webhook_id, body, created_at, attempt, give_up_at
