-- So that what was issued under a session of before counts as such.
update actor set session_version = session_version + 1
