-- SQLite: every column of every table that is of a tenant.
select t.name, c.name
  from sqlite_schema t
  join pragma_table_info(t.name) c
 where t.type = 'table' and t.name not like 'sqlite_%' and t.name not in ('_sqlx_migrations', 'server')
 order by t.name, c.cid
