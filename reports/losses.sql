-- What was not recorded, and why.
select subject as "Of", replace(reason, '_', ' ') as "Reason", count as "Events|count",
	message as "Meaning"
from loss where run_id = :run and count > 0 order by count desc;
