insert into case_external_id (tenant_id, external_id, case_id) values (?1, ?2, ?3)
