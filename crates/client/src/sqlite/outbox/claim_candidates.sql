-- Rows that may go now: due, and not held back by an earlier row of their lane (engine::lane says the same).
select o.lane
from outbox o
where o.resolution is null and o.content_lost = 0 and o.state in ('queued', 'retryable_failed')
  and (o.state = 'queued'
       or o.due_at <= ?1
       or (?2 and o.due_at is not null and o.hold in ('time', 'network', 'dependency')
           and (o.not_before is null or o.not_before <= ?1)))
  and not exists (
      select 1 from outbox e
      where e.lane = o.lane and (e.place, e.seq) < (o.place, o.seq) and e.resolution is null and e.projected = 0
        and e.state <> 'acked'
        and not (e.operation in (select value from json_each(?3)) and o.operation in (select value from json_each(?3))
                 and (e.thing is null or o.thing is null or e.thing <> o.thing)))
order by o.place, o.seq
limit ?4
