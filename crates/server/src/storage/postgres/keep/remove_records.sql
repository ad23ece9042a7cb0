delete from command where tenant_id = $1 and command_id = any ($2)
