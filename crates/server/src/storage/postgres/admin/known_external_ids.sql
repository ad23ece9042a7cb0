select external_id from case_external_id where tenant_id = $1 and external_id = any ($2)
