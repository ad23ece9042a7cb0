update server set feed_epoch = lower(hex(randomblob(16))) returning feed_epoch
