-- Numbers that were given after this moment of the data are on paper somewhere: they are not given again. A row for the
-- year of now, since its first number may be one of them.
insert into case_number (tenant_id, year, last)
values ($1, extract(year from to_timestamp($2::bigint / 1000.0) at time zone 'UTC')::integer, 0)
on conflict (tenant_id, year) do nothing
