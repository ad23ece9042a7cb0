select count(*),
       coalesce(sum(c.due_on < ?), 0),
       coalesce(sum(c.due_on = ?), 0),
       coalesce(sum(c.due_on > ? and c.due_on <= ?), 0),
       coalesce(sum(c.due_on > ? and c.due_on > ?), 0),
       coalesce(sum(c.due_on is null), 0)
from case_view c
where /*restriction*/
