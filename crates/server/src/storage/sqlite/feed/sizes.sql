-- How long the next bodies are; that much is in each row's header, so that no body is read for it.
select octet_length(body) as bytes
  from entity
 where tenant_id = ?1 and seq > ?2
 order by seq
 limit ?3
