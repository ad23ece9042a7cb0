select (select count(*) from case_view where assignee_id = ?1),
       (select count(*) from case_view where assignee_id is null),
       (select count(*) from case_view
        where assignee_id = ?1 and (due_on is null) = 0 and due_on <= ?2 and status not in ('closed', 'withdrawn')),
       (select count(*) from case_view)
