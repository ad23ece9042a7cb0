update tenant_head set ended = ended + 1 where tenant_id = $1
