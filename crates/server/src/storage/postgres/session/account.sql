select actor_id, password_hash, disabled from actor where tenant_id = $1 and username = $2
