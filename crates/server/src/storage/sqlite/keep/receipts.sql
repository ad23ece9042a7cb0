-- The next audit entries that receipts were not looked for yet, with the full answer that each recorded, if it did.
select audit.seq, audit.occurred_at, command.idempotency_key, command.command_id, command.actor_id, command.operation,
       command.entity_type, command.entity_id, command.payload_hash, command.outcome, command.status, command.body,
       command.entity_revision, command.recorded_at, command.reduced
  from tenant
  join audit on audit.tenant_id = tenant.tenant_id and audit.seq > tenant.receipts_passed
  left join command on command.tenant_id = audit.tenant_id and command.command_id = audit.command_id
                   and command.idempotency_key = audit.idempotency_key and command.reduced = 0
 where tenant.tenant_id = ?1
 order by audit.seq
 limit ?2
