update server set purge_horizon = ?1 where purge_horizon < ?1
