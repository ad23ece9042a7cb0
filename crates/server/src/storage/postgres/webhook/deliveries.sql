select d.webhook_id, d.endpoint_id, e.url, d.event, d.state, d.attempt, d.created_at, d.attempted_at,
       case when d.state = 'waiting' then d.due_at end as due_at, d.settled_at, d.failure, d.status, d.note
  from webhook_delivery d
  join webhook_endpoint e on e.tenant_id = d.tenant_id and e.endpoint_id = d.endpoint_id
 where d.tenant_id = $1 and ($2::text is null or d.state = $2)
 order by d.created_at desc, d.webhook_id desc, d.endpoint_id
 limit $3
