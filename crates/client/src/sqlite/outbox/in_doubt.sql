select * from outbox
where resolution is null and state = 'unknown' and (?2 or ask_at <= ?1)
order by seq
limit ?3
