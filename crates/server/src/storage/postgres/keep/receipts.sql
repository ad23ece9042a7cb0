-- The next audit entries that receipts were not looked for yet, with the full answer that each recorded, if it did.
select audit.seq, audit.occurred_at, command.idempotency_key, command.command_id, command.actor_id, command.operation,
       command.entity_type, command.entity_id, command.payload_hash, command.outcome, command.status, command.body,
       command.entity_revision, command.recorded_at
  from audit
  left join command on command.tenant_id = $1
                   -- What was done without a command has no id.
                   and command.command_id = case when audit.command_id ~ '^[0-9a-f-]{36}$' then audit.command_id::uuid end
                   and command.idempotency_key = audit.idempotency_key collate "C" and not command.reduced
 where audit.tenant_id = $1 and audit.seq > (select receipts_passed from tenant where tenant_id = $1)
 order by audit.seq
 limit $2
