delete from entity where tenant_id = $1 and deleted and seq = any ($2)
