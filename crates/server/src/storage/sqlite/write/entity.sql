insert into entity (tenant_id, entity_type, entity_id, revision, seq, visible_to, command_id, changed_at, body)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    on conflict (tenant_id, entity_type, entity_id) do update
   set revision = excluded.revision, seq = excluded.seq, command_id = excluded.command_id,
       changed_at = excluded.changed_at, body = excluded.body
