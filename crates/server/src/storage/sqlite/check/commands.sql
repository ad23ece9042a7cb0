-- Commands, what they did and what the audit says of them. Every row is one fault: whose, and what in words.
-- An answer has the same members for this after it was reduced.
select slug, 'the committed command ' || command_id || ' has no effect'
  from command
  join tenant using (tenant_id)
 where outcome = 'committed'
   and not exists (select 1 from entity where entity.tenant_id = command.tenant_id
                      and entity.entity_type = 'activity' and entity.entity_id = command.command_id
                      and entity.command_id = command.command_id)
union all
select slug, 'the receipt of ' || command.command_id || ' names position ' || coalesce(command.body ->> 'feed_position', 'none')
             || ', its effect ends at ' || entity.seq
  from command
  join tenant using (tenant_id)
  join entity on entity.tenant_id = command.tenant_id and entity.entity_type = 'activity'
             and entity.entity_id = command.command_id
 where command.outcome = 'committed' and command.body ->> 'feed_position' is not entity.seq
union all
select slug, 'the command ' || command_id || ' has a key that names another'
  from command
  join tenant using (tenant_id)
 where outcome <> 'sealed' and idempotency_key <> operation || ':' || entity_id || ':' || command_id
union all
select slug, 'the command ' || command_id || ' was applied ' || count(*) || ' times, as the audit says'
  from audit
  join tenant using (tenant_id)
 where result = 'committed' and idempotency_key <> ''
 group by tenant_id, command_id
having count(*) > 1
union all
-- Removed records are no longer asked for.
select slug, 'the audit says that ' || command_id || ' was committed, and it has no record'
  from audit
  join tenant using (tenant_id)
 where result = 'committed' and idempotency_key <> ''
   and replace(command_id, '-', '') >= (select printf('%012x', purge_horizon) from server)
   and not exists (select 1 from command where command.tenant_id = audit.tenant_id
                      and command.command_id = audit.command_id and command.outcome = 'committed')
union all
select slug, 'receipts of ' || receipts_passed || ' audit entries had their time, there are ' || audit_seq
  from tenant
 where receipts_passed > audit_seq
