update server set key_check = coalesce(key_check, $1) returning key_check = $1 as agrees
