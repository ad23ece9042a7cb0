-- Items that are new here or not as they are held.
select i.value ->> 'kind', i.value ->> 'id'
from json_each(?1) i
left join base_entity b on b.type = i.value ->> 'kind' and b.id = i.value ->> 'id'
where b.id is null or b.seq <> i.value ->> 'seq' or b.body <> i.value ->> 'body'
