-- Null leaves as it is.
update tenant
   set feed_head = coalesce(?2, feed_head), audit_seq = coalesce(?3, audit_seq), audit_hash = coalesce(?4, audit_hash)
 where tenant_id = ?1
