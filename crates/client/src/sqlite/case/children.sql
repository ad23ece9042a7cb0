select type, body
from base_entity
where case_id = ?1 and type in ('activity', 'inspection', 'note', 'notice', 'task', 'time_entry')
order by type, seq
