-- A former secret that still signs is not lost to a second rotation, unless none is to sign from now on.
update webhook_endpoint
   set former_secret = case when ?4 is null then null else secret end, former_until = ?4, secret = ?5
 where tenant_id = ?1 and endpoint_id = ?2 and removed_at is null and sink = 'http'
   and (?4 is null or coalesce(former_until, 0) <= ?3)
returning url
