-- Commands, what they did and what the audit says of them. Every row is one fault of the tenant $1, in words.
-- An answer has the same members for this after it was reduced.
select 'the committed command ' || command_id || ' has no effect' as fault
  from command
 where tenant_id = $1 and outcome = 'committed'
   and not exists (select 1 from entity where entity.tenant_id = $1 and entity.entity_type = 'activity'
                      and entity.entity_id = command.command_id and entity.command_id = command.command_id)
union all
select 'the receipt of ' || command.command_id || ' names position '
       || coalesce(command.body::jsonb ->> 'feed_position', 'none') || ', its effect ends at ' || entity.seq
  from command
  join entity on entity.tenant_id = $1 and entity.entity_type = 'activity' and entity.entity_id = command.command_id
 where command.tenant_id = $1 and command.outcome = 'committed'
   and command.body::jsonb ->> 'feed_position' is distinct from entity.seq::text
union all
select 'the command ' || command_id || ' has a key that names another'
  from command
 where tenant_id = $1 and outcome <> 'sealed'
   and idempotency_key <> (operation || ':' || entity_id || ':' || command_id) collate "C"
union all
select 'the command ' || command_id || ' was applied ' || count(*) || ' times, as the audit says'
  from audit
 where tenant_id = $1 and result = 'committed' and idempotency_key <> ''
 group by command_id
having count(*) > 1
union all
-- Removed records are no longer asked for.
select 'the audit says that ' || command_id || ' was committed, and it has no record'
  from audit
 where tenant_id = $1 and result = 'committed' and idempotency_key <> ''
   and replace(command_id, '-', '') collate "C" >= (select lpad(to_hex(purge_horizon), 12, '0') from server)
   and not exists (select 1 from command where command.tenant_id = $1 and command.command_id::text = audit.command_id
                      and command.outcome = 'committed')
union all
select 'receipts of ' || receipts_passed || ' audit entries had their time, there are ' || audit_seq
  from tenant
  join tenant_head using (tenant_id)
 where tenant_id = $1 and receipts_passed > audit_seq
