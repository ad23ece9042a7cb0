select 'tenants' as what, count(*) as number from tenant
union all select 'users', count(*) from actor
union all select 'cases', count(*) from entity where entity_type = 'case'
union all select 'notes', count(*) from entity where entity_type = 'note'
union all select 'commands committed', count(*) from command where outcome = 'committed'
union all select 'commands failed', count(*) from command where outcome = 'failed'
union all select 'commands sealed', count(*) from command where outcome = 'sealed'
union all select 'commands reduced', count(*) from command where reduced = 1
union all select 'sessions', count(*) from session
union all select 'feed positions', coalesce(sum(feed_head), 0) from tenant
union all select 'audit rows', count(*) from audit
