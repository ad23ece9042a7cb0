select * from outbox where lane = ?1 and resolution is null and projected = 0 order by place, seq
