-- Whoever was revoked after this moment of the data may have a session in it: everybody signs in again.
update session set ended_at = $2 where tenant_id = $1 and ended_at is null
