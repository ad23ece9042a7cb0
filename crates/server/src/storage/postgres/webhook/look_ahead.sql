-- With the row locked before: whoever has added something since moves it forward again afterwards.
update webhook_due
   set due_at = (select min(d.due_at)
                   from webhook_endpoint e
                   join webhook_delivery d on d.tenant_id = e.tenant_id and d.endpoint_id = e.endpoint_id
                  where e.tenant_id = $1 and e.removed_at is null and e.disabled_at is null and d.state = 'waiting')
 where tenant_id = $1
