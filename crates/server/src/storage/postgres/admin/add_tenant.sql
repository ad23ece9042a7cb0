with added as (insert into tenant (tenant_id, slug, name, created_at) values ($1, $2, $3, $4))
insert into tenant_head (tenant_id) values ($1)
