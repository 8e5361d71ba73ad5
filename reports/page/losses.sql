-- What was not recorded, and why.
select subject as "Of", kind as "Kind", replace(reason, '_', ' ') as "Reason",
	count as "Count|count", bytes as "Bytes|bytes",
	message as "Meaning"
from not_recorded where run_id = :run and count > 0 order by kind = 'event' desc, count desc;
