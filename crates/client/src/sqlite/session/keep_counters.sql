-- What a reader of the damaged store has seen never falls.
update meta
set owner_epoch = max(owner_epoch, ?1 + 1),
    cases_version = max(cases_version, ?2 + 1),
    outbox_version = max(outbox_version, ?3 + 1)
