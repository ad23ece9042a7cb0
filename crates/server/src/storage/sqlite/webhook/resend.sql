-- One that is being sent keeps its lease: it is due again when that attempt has failed.
update webhook_delivery
   set state = 'waiting', settled_at = null, attempt = 0, give_up_at = ?4,
       due_at = iif(lease_token is null, ?3, due_at)
 where tenant_id = ?1 and webhook_id = ?2 and (?5 is null or endpoint_id = ?5)
   and endpoint_id in (select endpoint_id from webhook_endpoint
                        where tenant_id = ?1 and removed_at is null and disabled_at is null)
