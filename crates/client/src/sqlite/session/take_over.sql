-- The process that opens the store to write owns it from here on; an older one's epoch no longer fits.
insert into meta (one, tenant_id, actor_id, written_by, owner_epoch)
values (1, ?1, ?2, ?3, 1)
on conflict (one) do update set written_by = excluded.written_by, owner_epoch = owner_epoch + 1
