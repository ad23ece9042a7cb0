-- When each recent refresh token of a family was used: for a minute it gives the same successor again, also when
-- that one was used meanwhile. Older rows go when the next token is used.
create table refresh_use (
    tenant_id     text    not null,
    session_id    text    not null,
    refresh_count integer not null,              -- which token of the family
    used_at       integer not null,
    primary key (tenant_id, session_id, refresh_count),
    foreign key (tenant_id, session_id) references session
) strict, without rowid;

insert into refresh_use (tenant_id, session_id, refresh_count, used_at)
select tenant_id, session_id, refresh_count - 1, rotated_at from session where refresh_count > 0;
