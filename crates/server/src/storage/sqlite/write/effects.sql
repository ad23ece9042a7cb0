insert into effect (tenant_id, seq, entity_type, entity_id, revision, command_id)
select ?1, value ->> 'seq', value ->> 'kind', value ->> 'id', value ->> 'revision', value ->> 'command_id'
  from json_each(?2)
