select * from outbox where hold = ?1 and resolution is null and hold is not null and state = 'retryable_failed' order by seq
