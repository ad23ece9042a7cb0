update tenant set tombstone_floor = greatest(tombstone_floor, $2) where tenant_id = $1
