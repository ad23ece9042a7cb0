-- As of version 16 one may be a member and yet not be let to change into a role; whoever makes a role is such a one.
select case when current_setting('server_version_num')::integer >= 160000
            then pg_has_role($1, 'onceover_app', 'set')
            else pg_has_role($1, 'onceover_app', 'member')
       end
