-- The secret goes at once; the row stays for as long as deliveries name it. The place of a secret is kept filled,
-- since its presence is checked.
update webhook_endpoint
   set removed_at = ?3, secret = iif(secret is null, null, x''), former_secret = null, former_until = null
 where tenant_id = ?1 and endpoint_id = ?2
