-- Everything a group leaves behind. $1 is the tenant; then come the columns of the key records ($2 to $13), of the
-- changed entities, each once at its newest state ($14 to $21), of external ids ($22, $23) and of the audit ($24 to
-- $40); then the year and the last case number given ($41, $42), where feed and audit end ($43 to $45), and the events ($46 to $51), each of
-- which is delivered to every endpoint that wants it.
with records as (
    insert into command (tenant_id, idempotency_key, command_id, actor_id, operation, entity_type, entity_id,
                         payload_hash, outcome, status, body, entity_revision, recorded_at)
    select $1, * from unnest($2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[],
                             $9::text[], $10::integer[], $11::text[], $12::bigint[], $13::bigint[])
), entities as (
    insert into entity (tenant_id, entity_type, entity_id, revision, seq, visible_to, command_id, changed_at, body)
    select $1, * from unnest($14::text[], $15::uuid[], $16::bigint[], $17::bigint[], $18::uuid[], $19::uuid[],
                             $20::bigint[], $21::text[])
        on conflict (tenant_id, entity_type, entity_id) do update
       set revision = excluded.revision, seq = excluded.seq, command_id = excluded.command_id,
           changed_at = excluded.changed_at, body = excluded.body
), external_ids as (
    insert into case_external_id (tenant_id, external_id, case_id)
    select $1, * from unnest($22::text[], $23::uuid[])
), attempts as (
    insert into audit (tenant_id, seq, hash, command_id, idempotency_key, actor_id, entity_type, entity_id, operation,
                       previous_revision, next_revision, result, code, authority, session_version, issued_under,
                       request_id, occurred_at)
    select $1, * from unnest($24::bigint[], $25::text[], $26::text[], $27::text[], $28::text[], $29::text[],
                             $30::text[], $31::text[], $32::bigint[], $33::bigint[], $34::text[], $35::text[],
                             $36::text[], $37::bigint[], $38::bigint[], $39::text[], $40::bigint[])
), numbers as (
    insert into case_number (tenant_id, year, last)
    select $1, $41::integer, $42::bigint where $41::integer is not null
        on conflict (tenant_id, year) do update set last = excluded.last
), deliveries as (
    insert into webhook_delivery (tenant_id, webhook_id, endpoint_id, event, body, created_at, state, due_at,
                                  give_up_at)
    select $1, v.id, e.endpoint_id, v.kind, case e.sink when 'mail' then v.mail else v.body end, v.at, 'waiting', v.at,
           v.give_up_at
      from unnest($46::text[], $47::text[], $48::text[], $49::text[], $50::bigint[], $51::bigint[])
           as v (id, kind, body, mail, at, give_up_at)
      join webhook_endpoint e on e.tenant_id = $1 and v.kind = any (e.events)
     where e.removed_at is null and e.disabled_at is null
        on conflict do nothing
    returning due_at
), due as (
    update webhook_due
       set due_at = least(webhook_due.due_at, soonest.due_at)
      from (select min(due_at) as due_at from deliveries) as soonest
     where tenant_id = $1 and soonest.due_at is not null
)
update tenant_head
   set feed_head = coalesce($43::bigint, feed_head), audit_seq = coalesce($44::bigint, audit_seq),
       audit_hash = coalesce($45::text, audit_hash)
 where tenant_id = $1
