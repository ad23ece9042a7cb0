select b.body
from json_each(?1) wanted
join base_entity b on b.type = 'case' and b.id = wanted.value
