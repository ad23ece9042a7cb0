select o.*
from json_each(?1) wanted      -- cross join: the wanted ones come first
cross join outbox o on o.lane = wanted.value and o.resolution is null and o.projected = 0
order by o.lane, o.place, o.seq
