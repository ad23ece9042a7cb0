-- Events on their way out; SQLite has a foreign key for this. Every row is one fault of the tenant $1, in words.
select 'the delivery of ' || webhook_id || ' is for ' || endpoint_id || ', which is no endpoint' as fault
  from webhook_delivery
 where tenant_id = $1
   and not exists (select 1 from webhook_endpoint where webhook_endpoint.tenant_id = $1
                      and webhook_endpoint.endpoint_id = webhook_delivery.endpoint_id)
