-- Which external ids of those named exist, and which members can be given work.
select 'member' as what, actor_id as id from actor
 where tenant_id = ?1 and actor_id in (select value from json_each(?2)) and disabled = 0
union all
select 'external', external_id from case_external_id
 where tenant_id = ?1 and external_id in (select value from json_each(?3))
