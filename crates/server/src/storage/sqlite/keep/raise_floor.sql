update tenant set tombstone_floor = max(tombstone_floor, ?2) where tenant_id = ?1
