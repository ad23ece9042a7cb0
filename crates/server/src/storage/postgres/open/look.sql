-- What is there, and whether this user may change it: the owner of the tables if there are any, else whoever may make
-- some. `public` is the only schema that is used.
select current_user::text as name,
       current_setting('server_version_num')::integer as server,
       to_regclass('public._sqlx_migrations') is not null as is_ours,
       not exists (select 1 from pg_catalog.pg_class
                    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')) as is_empty,
       coalesce((select pg_has_role(current_user, relowner, 'usage')
                   from pg_catalog.pg_class where oid = to_regclass('public._sqlx_migrations')),
                has_schema_privilege('public', 'create')) as may_migrate
