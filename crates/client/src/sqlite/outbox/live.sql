select * from outbox where resolution is null and projected = 0 order by lane, place, seq
