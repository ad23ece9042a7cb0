-- There and back: SQLite would not write a page whose bytes an update leaves as they are.
update server set ended = ended + 1;
update server set ended = ended - 1;
