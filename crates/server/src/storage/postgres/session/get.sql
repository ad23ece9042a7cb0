-- Each is looked up as the first one at or after it; `load/all.sql` says why.
select next.session_id, actor.session_version, next.device_id, next.refresh_count, next.refresh_hash, next.rotated_at,
       tenant.tenant_id, tenant.slug, tenant.name, actor.actor_id, actor.username, actor.display_name, actor.role,
       next.ended_at is null and not actor.disabled and next.session_version = actor.session_version as is_valid
  from unnest($2::uuid[]) as wanted (session_id)
 cross join lateral (select * from session
                      where tenant_id = $1 and session_id >= wanted.session_id order by session_id limit 1) as next
  join actor on actor.tenant_id = $1 and actor.actor_id = next.actor_id
  join tenant on tenant.tenant_id = $1
 where next.session_id = wanted.session_id
