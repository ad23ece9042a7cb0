-- The nodes agree on a key anew: whoever has lost it begins with another one here.
update server set feed_epoch = replace(gen_random_uuid()::text, '-', ''), key_check = null returning feed_epoch
