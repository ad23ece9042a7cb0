insert into case_number (tenant_id, year, last) values (?1, ?2, ?3)
    on conflict (tenant_id, year) do update set last = excluded.last
