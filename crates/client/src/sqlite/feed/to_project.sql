select * from outbox where resolution is null and projected = 0 and state = 'acked' order by seq
