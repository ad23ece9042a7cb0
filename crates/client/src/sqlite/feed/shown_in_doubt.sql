-- Rows in doubt whose command made a state in this page, or one held already (it came while the row was being sent).
select o.command_id,
       coalesce((select max(i.value ->> 1) from json_each(?1) i where i.value ->> 0 = o.command_id),
                (select max(b.seq) from base_entity b where b.command_id = o.command_id)) as position
from outbox o
where o.resolution is null and o.state = 'unknown'
  and (o.command_id in (select i.value ->> 0 from json_each(?1) i)
       or exists (select 1 from base_entity b where b.command_id = o.command_id))
order by o.seq
