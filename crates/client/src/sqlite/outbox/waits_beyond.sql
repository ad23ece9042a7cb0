-- Rows that may wait longer than a cap from now (60 s, or 1 h where the server asked); the engine says which do.
select * from outbox
where resolution is null and state in ('retryable_failed', 'unknown')
  and (due_at > ?1 + 60000 or ask_at > ?1 + 60000 or not_before > ?1 + 3600000)
order by seq
