select coalesce(sum(state = 'waiting'), 0) as waiting, coalesce(sum(state = 'dead'), 0) as dead
  from webhook_delivery where state in ('waiting', 'dead')
