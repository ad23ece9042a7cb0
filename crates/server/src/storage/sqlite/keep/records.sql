-- Made and recorded so long ago: an id says when it was made, so these are what the horizon can speak of.
select command_id
  from command
 where tenant_id = ?1 and command_id < ?2 and recorded_at < ?3
 order by command_id
 limit ?4
