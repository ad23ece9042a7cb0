select 'users' as what, count(*) as number from actor where tenant_id = $1
union all select 'cases', count(*) from entity where tenant_id = $1 and entity_type = 'case'
union all select 'notes', count(*) from entity where tenant_id = $1 and entity_type = 'note'
union all select 'commands committed', count(*) from command where tenant_id = $1 and outcome = 'committed'
union all select 'commands failed', count(*) from command where tenant_id = $1 and outcome = 'failed'
union all select 'commands sealed', count(*) from command where tenant_id = $1 and outcome = 'sealed'
union all select 'commands reduced', count(*) from command where tenant_id = $1 and reduced
union all select 'sessions', count(*) from session where tenant_id = $1
union all select 'feed positions', feed_head from tenant_head where tenant_id = $1
union all select 'audit rows', count(*) from audit where tenant_id = $1
