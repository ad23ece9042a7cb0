update case_number set last = last + $2 where tenant_id = $1
