update case_view
set assignee_name = (select m.body ->> 'display_name' from base_entity m where m.type = 'member' and m.id = ?1)
where assignee_id = ?1
  and assignee_name is not (select m.body ->> 'display_name' from base_entity m where m.type = 'member' and m.id = ?1)
