insert into directory (slug, tenant_id) values ($2, $1) on conflict (slug) do nothing
