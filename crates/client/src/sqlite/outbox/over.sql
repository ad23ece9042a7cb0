select * from (
    select * from outbox where resolution is null and state = 'acked' and updated_at >= ?1
    union all
    select * from outbox where resolution is not null and resolution = 'discarded' and resolved_at >= ?1
)
order by updated_at desc, seq desc
