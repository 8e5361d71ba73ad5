-- No reader works ahead: the main threads read themselves, while nothing is computed. Of their I/O
-- counts as much as a rank spent on reading files.
with lost as (
	select read / 1e9 as seconds from finding_io
)
select l.seconds, printf('ranks read between their computing: %.0f %% of the run in I/O of the '
		|| 'main threads that read, '
		|| 'and nobody reads ahead', 100 * l.seconds / r.seconds_all) as message,
	printf('select p.rank, h.window, h.ns / 1e9 as s from host_time h join '
			|| 'process p on p.id = h.process_id '
		|| 'where h.run_id = %d and h.state = ''io'' and (h.window '
			|| '= ''run'' or h.window like ''phase:%%'')', r.run_id) as evidence,
	'readers in threads or processes of their own, which work ahead' as advice,
	'high: the main threads'' I/O, step by step' as confidence
from lost l, finding_run r;
