-- These statements read all there is.
set local enable_seqscan = on;
set local enable_hashjoin = on;
set local enable_mergejoin = on;
