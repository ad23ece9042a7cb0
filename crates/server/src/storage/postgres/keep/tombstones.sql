select seq from entity where tenant_id = $1 and deleted and changed_at < $2 order by seq limit $3
