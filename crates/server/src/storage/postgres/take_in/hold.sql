update server set purge_horizon = purge_horizon
