-- How many cases are due each day, in the order and out of the index of a list by due date.
select c.due_on, count(*) from case_view c where /*restriction*/ group by c.due_on is null, c.due_on
