-- Received rows that nobody decided about, in enqueue order.
select * from outbox where seq > ?1 and state = 'acked' and resolution is null order by seq limit ?2
