update tenant set receipts_passed = $2 where tenant_id = $1
