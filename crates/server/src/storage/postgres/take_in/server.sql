update server set feed_epoch = $1, purge_horizon = $2, key_check = null
