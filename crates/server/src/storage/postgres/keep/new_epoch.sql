update server set feed_epoch = replace(gen_random_uuid()::text, '-', '') returning feed_epoch
