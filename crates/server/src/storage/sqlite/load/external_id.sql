select 1 from case_external_id where tenant_id = ?1 and external_id = ?2
