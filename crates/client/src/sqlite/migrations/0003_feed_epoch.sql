-- The server's feed epoch under which everything received was last known to be there. NULL: not known yet.
alter table meta add column feed_epoch text;
