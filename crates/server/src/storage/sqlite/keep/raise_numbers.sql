update case_number set last = last + ?1
