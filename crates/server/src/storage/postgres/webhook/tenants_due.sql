-- In any order, so that those whose receivers are slow do not keep others from being looked at.
select tenant_id from webhook_due where due_at <= $1 order by random() limit 200
