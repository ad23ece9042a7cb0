-- One step: it happens to the row as it was read, or not at all.
update outbox
set state = ?1, claim_epoch = ?2, claim_token = ?3, sent_at = ?4, due_at = ?5, hold = ?6, ask_at = ?7,
    conflict = ?8, refusal = ?9, receipt = ?10, attempt = ?11, same_failures = ?12, last_error = ?13,
    not_before = ?14, resolution = ?15, successor = ?16, resolved_by = ?17, resolved_at = ?18, projected = ?19, confirmed_at = ?20,
    steps = steps + 1, event = ?21, event_code = ?22, stepped_at = ?23, updated_at = ?24
where command_id = ?25 and state = ?26 and claim_token is ?27 and resolution is null and projected = ?28
returning seq
