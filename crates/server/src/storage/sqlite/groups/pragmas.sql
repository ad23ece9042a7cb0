-- Of the file the journal mode is kept; these are of each connection.
pragma synchronous = full;
pragma foreign_keys = on;
-- As of every other connection that writes: what is taken away leaves no trace.
pragma secure_delete = on;
pragma journal_size_limit = 67108864;
-- Pages; 64 MB, which copying into the database waits for twice as rarely as it would for half of them.
pragma wal_autocheckpoint = 16384;
-- KiB.
pragma cache_size = -16384;
