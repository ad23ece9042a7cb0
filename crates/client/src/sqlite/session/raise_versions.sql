update meta
set cases_version = cases_version + ?1, outbox_version = outbox_version + ?2
returning cases_version, outbox_version
