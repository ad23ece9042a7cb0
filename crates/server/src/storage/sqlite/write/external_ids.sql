insert into case_external_id (tenant_id, external_id, case_id)
select ?1, value ->> 0, value ->> 1 from json_each(?2)
