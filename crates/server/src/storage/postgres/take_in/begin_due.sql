-- A tenant has its row from its first endpoint on.
insert into webhook_due (tenant_id)
select $1
 where exists (select 1 from webhook_endpoint where tenant_id = $1)
