select attname::text as name, format_type(atttypid, atttypmod) as kind
  from pg_catalog.pg_attribute
 where attrelid = to_regclass('public.' || $1) and attnum > 0 and not attisdropped
 order by attnum
