update command
   set reduced = true, body = remains.body
  from unnest($2::uuid[], $3::text[]) as remains (command_id, body)
 where command.tenant_id = $1 and command.command_id = remains.command_id
