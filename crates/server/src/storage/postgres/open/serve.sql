-- What every connection that serves is like. Settings that another database of this family does not have are left out.
set role onceover_app;
select set_config(name, value, false)
  from (values ('search_path', 'public'),
               ('lock_timeout', '3s'),                           -- then: temporarily unavailable
               ('statement_timeout', '30s'),
               ('idle_in_transaction_session_timeout', '10s'),   -- a node that hangs holds no lock for long
               ('plan_cache_mode', 'force_generic_plan'),        -- every query here is by key: one plan fits all
               ('enable_seqscan', 'off'),                        -- also where the plan was made on an empty table
               ('enable_bitmapscan', 'off'),
               ('enable_hashjoin', 'off'),
               ('enable_mergejoin', 'off'),
               ('jit', 'off')) as wanted (name, value)
 where exists (select 1 from pg_catalog.pg_settings where pg_settings.name = wanted.name);
