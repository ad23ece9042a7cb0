insert into audit (tenant_id, seq, hash, command_id, idempotency_key, actor_id, entity_type, entity_id, operation,
                   previous_revision, next_revision, result, code, authority, session_version, issued_under, request_id,
                   occurred_at)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
