-- When a row is due by itself. A row that an earlier one of its lane holds back is not: time alone does not free it.
select min(at) from (
    select min(o.due_at) as at
    from outbox o
    where o.resolution is null and o.content_lost = 0 and o.state in ('queued', 'retryable_failed')
      and o.state = 'retryable_failed' and o.due_at is not null
      and not exists (
          select 1 from outbox e
          where e.lane = o.lane and (e.place, e.seq) < (o.place, o.seq) and e.resolution is null and e.projected = 0
            and e.state <> 'acked'
            and not (e.operation in (select value from json_each(?1))
                     and o.operation in (select value from json_each(?1))
                     and (e.thing is null or o.thing is null or e.thing <> o.thing)))
    union all
    select min(ask_at) from outbox where resolution is null and state = 'unknown' and ask_at is not null
)
