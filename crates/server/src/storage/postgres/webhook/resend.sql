-- One that is being sent keeps its lease: it is due again when that attempt has failed.
update webhook_delivery d
   set state = 'waiting', settled_at = null, attempt = 0, give_up_at = $4,
       due_at = case when lease_token is null then $3 else due_at end
  from webhook_endpoint e
 where d.tenant_id = $1 and d.webhook_id = $2 and ($5::uuid is null or d.endpoint_id = $5)
   and e.tenant_id = $1 and e.endpoint_id = d.endpoint_id and e.removed_at is null and e.disabled_at is null
