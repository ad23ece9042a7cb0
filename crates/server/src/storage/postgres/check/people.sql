-- People, numbers and names. Every row is one fault of the tenant $1, in words.
select 'case number ' || max(given.number) || ' is in use, the last one given in that year is '
       || coalesce(max(case_number.last), 0) as fault
  from (select body::jsonb ->> 'number' as number, substr(body::jsonb ->> 'number', 1, 4)::integer as year,
               substr(body::jsonb ->> 'number', 6)::bigint as counted
          from entity
         where tenant_id = $1 and entity_type = 'case' and not deleted) as given
  left join case_number on case_number.tenant_id = $1 and case_number.year = given.year
 group by given.year
having max(given.counted) > coalesce(max(case_number.last), 0)
union all
select 'case number ' || (body::jsonb ->> 'number') || ' was given to ' || count(*) || ' cases'
  from entity
 where tenant_id = $1 and entity_type = 'case' and not deleted
 group by body::jsonb ->> 'number'
having count(*) > 1
union all
select 'case ' || entity_id || ' has no number'
  from entity
 where tenant_id = $1 and entity_type = 'case' and not deleted and body::jsonb ->> 'number' is null
union all
select 'the external id ' || external_id || ' is of a case that is not there'
  from case_external_id
 where tenant_id = $1
   and not exists (select 1 from entity where entity.tenant_id = $1 and entity.entity_type = 'case'
                      and entity.entity_id = case_external_id.case_id)
union all
select 'user ' || username || ' is not in the feed as stored'
  from actor
 where tenant_id = $1
   and not exists (select 1 from entity where entity.tenant_id = $1 and entity.entity_type = 'member'
                      and entity.entity_id = actor.actor_id and entity.revision = actor.revision
                      and entity.body::jsonb ->> 'role' = actor.role)
union all
select 'user ' || username || ' has another role than its history says'
  from actor
 where tenant_id = $1
   and role is distinct from (select role from actor_role where actor_role.tenant_id = $1
                                 and actor_role.actor_id = actor.actor_id order by change desc limit 1)
