select state,
       count(*) as rows,
       coalesce(sum(content_lost = 1 or state in ('conflict', 'rejected')
           or coalesce(hold in ('grant', 'confirmation', 'quarantined', 'person'), 0)), 0) as needs_attention
from outbox
where resolution is null
group by state
