select type, body from base_entity where case_id = ?1 and type in ('note', 'activity') order by type, seq
