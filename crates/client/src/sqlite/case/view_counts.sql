select coalesce(sum(assignee_id = ?1), 0),
       coalesce(sum(assignee_id is null), 0),
       coalesce(sum(assignee_id = ?1 and status not in ('closed', 'withdrawn') and due_on <= ?2), 0),
       count(*)
from case_view indexed by case_view_due
