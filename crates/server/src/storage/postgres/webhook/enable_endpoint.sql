with enabled as (
    update webhook_endpoint set disabled_at = null where tenant_id = $1 and endpoint_id = $2
)
update webhook_due set due_at = least(due_at, $3) where tenant_id = $1
