-- Numbers that were given after this moment of the data are on paper somewhere: they are not given again. A row for the
-- year of now, since its first number may be one of them.
insert into case_number (tenant_id, year, last)
select tenant_id, cast(strftime('%Y', ?1 / 1000, 'unixepoch') as integer), 0
  from tenant
 where true
on conflict (tenant_id, year) do nothing
