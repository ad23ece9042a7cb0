-- Row-level security holds this role on every table that it may read, and it owns none.
select not exists (select 1
                     from pg_catalog.pg_class
                    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
                      and relname <> '_sqlx_migrations'
                      and (has_table_privilege(oid, 'select') and not row_security_active(oid)
                           or relowner = (select oid from pg_catalog.pg_roles where rolname = current_user)))
