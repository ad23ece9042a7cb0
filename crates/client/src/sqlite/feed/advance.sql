update meta
set cursor = ?1,
    feed_complete = max(feed_complete, ?2),
    round_open = min(round_open, 1 - ?2),
    last_pull_at = iif(?2, ?3, last_pull_at)
