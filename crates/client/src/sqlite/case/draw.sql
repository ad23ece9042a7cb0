insert into case_view (id, number, external_id, title, address, description, kind, status, status_rank,
                       priority, priority_rank, due_on, assignee_id, assignee_name, tags, pending_fields,
                       live_changes, open_changes, needs_you)
select d.value ->> 'id', d.value ->> 'number', d.value ->> 'external_id', d.value ->> 'title', d.value ->> 'address',
       d.value ->> 'description', d.value ->> 'kind', d.value ->> 'status', d.value ->> 'status_rank',
       d.value ->> 'priority', d.value ->> 'priority_rank', d.value ->> 'due_on', d.value ->> 'assignee_id',
       (select m.body ->> 'display_name' from base_entity m where m.type = 'member' and m.id = d.value ->> 'assignee_id'),
       d.value ->> 'tags', d.value ->> 'pending_fields',
       d.value ->> 'live_changes', d.value ->> 'open_changes', d.value ->> 'needs_you'
from json_each(?1) d
where true
on conflict (id) do update
set number = excluded.number, external_id = excluded.external_id, title = excluded.title, address = excluded.address,
    description = excluded.description, kind = excluded.kind, status = excluded.status,
    status_rank = excluded.status_rank, priority = excluded.priority, priority_rank = excluded.priority_rank,
    due_on = excluded.due_on, assignee_id = excluded.assignee_id, assignee_name = excluded.assignee_name,
    tags = excluded.tags, pending_fields = excluded.pending_fields, live_changes = excluded.live_changes,
    open_changes = excluded.open_changes, needs_you = excluded.needs_you
