-- No reader works ahead: the main threads read themselves, while nothing is computed. Of their I/O
-- counts as much as a rank spent on reading files.
with lost as (
	select max(0, read - (select io from finding_late)) / 1e9 as seconds from finding_io
)
select l.seconds, 100 * l.seconds / r.seconds_all as percent
from lost l, finding_run r;
