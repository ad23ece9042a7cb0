update webhook_due set due_at = least(due_at, $2) where tenant_id = $1
