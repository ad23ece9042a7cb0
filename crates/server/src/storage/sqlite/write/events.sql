-- One delivery of each event for each endpoint that wants it. Endpoints come first: where there are none, nothing is read.
insert into webhook_delivery (tenant_id, webhook_id, endpoint_id, event, body, created_at, state, due_at, give_up_at)
select e.tenant_id, v.value ->> 'id', e.endpoint_id, v.value ->> 'kind',
       iif(e.sink = 'mail', v.value ->> 'mail', v.value ->> 'body'),
       v.value ->> 'at', 'waiting', v.value ->> 'at', v.value ->> 'give_up_at'
  from webhook_endpoint e
 cross join json_each(?2) v
 where e.tenant_id = ?1 and e.removed_at is null and e.disabled_at is null
   and exists (select 1 from json_each(e.events) w where w.value = v.value ->> 'kind')
    on conflict do nothing
