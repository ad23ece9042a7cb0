-- Each entity comes once, at its newest state of the group.
insert into entity (tenant_id, entity_type, entity_id, revision, seq, visible_to, command_id, changed_at, body)
select ?1, value ->> 'kind', value ->> 'id', value ->> 'revision', value ->> 'seq', value ->> 'visible_to',
       value ->> 'command_id', value ->> 'at', value ->> 'body'
  from json_each(?2)
 where true
    on conflict (tenant_id, entity_type, entity_id) do update
   set revision = excluded.revision, seq = excluded.seq, command_id = excluded.command_id,
       changed_at = excluded.changed_at, body = excluded.body
