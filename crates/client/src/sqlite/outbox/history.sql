select h.at, h.from_state, h.to_state, h.event, h.attempt, h.code
from outbox o
join outbox_history h on h.seq = o.seq
where o.command_id = ?1
order by h.step
