insert into tenant (tenant_id, slug, name, created_at) values (?1, ?2, ?3, ?4) on conflict (slug) do nothing
