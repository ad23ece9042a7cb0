select * from outbox where resolution is null and state <> 'acked' order by seq
