-- How long the next bodies are; that much is in each row's header, so that no body is read for it.
select octet_length(body) as bytes
  from entity
 where tenant_id = ?1 and seq > ?2 and (visible_to is null or visible_to = ?4)
 order by seq
 limit ?3
