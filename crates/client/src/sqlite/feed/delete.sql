delete from base_entity
where (type, id) in (select i.value ->> 0, i.value ->> 1 from json_each(?1) i)
returning type, id
