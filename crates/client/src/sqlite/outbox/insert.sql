insert into outbox (seq, intent_id, command_id, idempotency_key, operation, schema_version, lane, stands_for, expected, payload,
                    payload_hash, tenant_id, actor_id, session_version, issued_at, confirmed_at, seen,
                    state, claim_epoch, claim_token, sent_at, due_at, hold, ask_at, conflict, refusal, receipt,
                    attempt, same_failures, last_error, not_before,
                    resolution, successor, resolved_by, resolved_at, projected, content_lost,
                    steps, event, event_code, stepped_at, created_at, updated_at)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
        ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, 0, 'accepted', ?38, ?39, ?40, ?41)
returning seq
