update audit set hash = ?3 where tenant_id = ?1 and seq = ?2 and hash = ''
