insert into webhook_due (tenant_id) values ($1) on conflict do nothing
