update command
   set reduced = 1,
       body = (select wanted.value ->> 1 from json_each(?2) as wanted
                where wanted.value ->> 0 = command.command_id)
 where tenant_id = ?1 and command_id in (select value ->> 0 from json_each(?2))
