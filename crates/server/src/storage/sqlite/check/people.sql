-- People, numbers and names. Every row is one fault: whose, and what in words.
select slug, 'case number ' || max(number) || ' is in use, the last one given in that year is '
             || coalesce((select last from case_number where case_number.tenant_id = given.tenant_id
                             and case_number.year = given.year), 0)
  from (select tenant_id, body ->> 'number' as number, cast(substr(body ->> 'number', 1, 4) as integer) as year,
               cast(substr(body ->> 'number', 6) as integer) as counted
          from entity
         where entity_type = 'case' and deleted = 0) as given
  join tenant using (tenant_id)
 group by tenant_id, year
having max(counted) > coalesce((select last from case_number where case_number.tenant_id = given.tenant_id
                                   and case_number.year = given.year), 0)
union all
select slug, 'case number ' || (body ->> 'number') || ' was given to ' || count(*) || ' cases'
  from entity
  join tenant using (tenant_id)
 where entity_type = 'case' and deleted = 0
 group by tenant_id, body ->> 'number'
having count(*) > 1
union all
select slug, 'case ' || entity_id || ' has no number'
  from entity
  join tenant using (tenant_id)
 where entity_type = 'case' and deleted = 0 and body ->> 'number' is null
union all
select slug, 'the external id ' || external_id || ' is of a case that is not there'
  from case_external_id
  join tenant using (tenant_id)
 where not exists (select 1 from entity where entity.tenant_id = case_external_id.tenant_id
                      and entity.entity_type = 'case' and entity.entity_id = case_external_id.case_id)
union all
select slug, 'user ' || username || ' is not in the feed as stored'
  from actor
  join tenant using (tenant_id)
 where not exists (select 1 from entity where entity.tenant_id = actor.tenant_id
                      and entity.entity_type = 'member' and entity.entity_id = actor.actor_id
                      and entity.revision = actor.revision and entity.body ->> 'role' = actor.role)
union all
select slug, 'user ' || username || ' has another role than its history says'
  from actor
  join tenant using (tenant_id)
 where role is not (select role from actor_role
                     where actor_role.tenant_id = actor.tenant_id and actor_role.actor_id = actor.actor_id
                     order by change desc limit 1)
