select webhook_id, endpoint_id, e.url, event, state, attempt, d.created_at, attempted_at,
       iif(state = 'waiting', due_at, null) as due_at, settled_at, failure, status, note
  from webhook_delivery d
  join webhook_endpoint e using (tenant_id, endpoint_id)
 where tenant_id = ?1 and (?2 is null or state = ?2)
 order by d.created_at desc, webhook_id desc, endpoint_id
 limit ?3
