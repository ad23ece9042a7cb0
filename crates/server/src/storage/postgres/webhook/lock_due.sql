select due_at from webhook_due where tenant_id = $1 for update
