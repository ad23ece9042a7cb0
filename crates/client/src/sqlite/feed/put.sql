insert into base_entity (type, id, case_id, seq, revision, command_id, body, sync_round)
select i.value ->> 'kind', i.value ->> 'id', i.value ->> 'case_id', i.value ->> 'seq', i.value ->> 'revision',
       i.value ->> 'command_id', i.value ->> 'body', ?2
from json_each(?1) i
where true
on conflict (type, id) do update
set case_id = excluded.case_id, seq = excluded.seq, revision = excluded.revision, command_id = excluded.command_id,
    body = excluded.body, sync_round = excluded.sync_round
