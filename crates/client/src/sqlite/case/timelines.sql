select e.body
from json_each(?1) wanted      -- cross join: the wanted ones come first
cross join base_entity e indexed by base_of_case
    on e.case_id is not null and e.case_id = wanted.value and e.type = 'activity'
order by e.case_id, e.seq
