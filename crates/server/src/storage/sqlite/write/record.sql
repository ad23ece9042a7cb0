insert into command (tenant_id, idempotency_key, command_id, actor_id, operation, entity_type, entity_id, payload_hash,
                     outcome, status, body, entity_revision, recorded_at)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
