-- Rises whenever a feed has moved or a session has ended.
select coalesce(sum(feed_head + ended), 0)::bigint as version, coalesce(sum(ended), 0)::bigint as ended from tenant_head
