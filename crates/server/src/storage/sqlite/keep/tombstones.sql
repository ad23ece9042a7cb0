select seq from entity where tenant_id = ?1 and deleted = 1 and changed_at < ?2 order by changed_at limit ?3
