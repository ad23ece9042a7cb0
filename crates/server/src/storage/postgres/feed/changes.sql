-- As many rows as make a page: at most $3, and no more than $5 bytes of bodies unless the first alone is longer. How
-- long a body is, is in its row's header, so none is read to be left out.
with next as materialized (
    select seq, sum(octet_length(body)) over (order by seq) as bytes, row_number() over (order by seq) as place
      from entity
     where tenant_id = $1 and seq > $2 and (visible_to is null or visible_to = $4)
     order by seq
     limit $3 + 1
)
select entity.seq, entity_type, entity_id, revision, deleted, command_id, changed_at, body,
       (select count(*) from next) > count(*) over () as has_more
  from next
  join entity on entity.tenant_id = $1 and entity.seq = next.seq
 where place <= $3 and (place = 1 or bytes <= $5)
 order by next.seq
