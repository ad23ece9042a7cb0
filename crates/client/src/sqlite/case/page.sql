-- The places of the page come out of an index alone; only their rows are then read.
select c.id, c.number, c.external_id, c.title, c.address, c.kind, c.status, c.priority, c.due_on, c.assignee_id,
       c.assignee_name, c.pending_fields, c.live_changes, c.open_changes
from (select c.place from case_view c where /*restriction*/ order by /*order*/ limit ? offset ?) page
join case_view c on c.place = page.place
order by /*order*/
