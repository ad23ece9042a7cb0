select o.command_id, max(h.at)
from json_each(?1) wanted      -- cross join: the wanted ones come first
cross join outbox o on o.command_id = wanted.value
cross join outbox_history h on h.seq = o.seq and h.to_state = 'sending'
group by o.seq
