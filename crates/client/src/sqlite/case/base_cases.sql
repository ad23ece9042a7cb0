select body from base_entity where type = 'case' and id in (select value from json_each(?1))
