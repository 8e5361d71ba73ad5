#!/bin/sh
# What holds in every database: parts add up to the whole, factors multiply, nothing lies outside the run or is
# negative, and no efficiency above 1 goes without a flag. Over all worked cases and random programs with devices.
. "$top_srcdir/tests/analyze_common.sh"
command -v sqlite3 >/dev/null || skip_all "no sqlite3"
command -v python3 >/dev/null || skip_all "no python3 to make random programs with"

# wrong: identities that a database breaks, a line each
wrong() {
	sqlite3 -readonly "$1" <<-'SQL'
	select 'negative bytes in io_file' from io_file where min(bytes_read, bytes_written) < 0 limit 1;
	select 'negative bytes in call ' || name from call where min(bytes_sent, bytes_received) < 0 limit 1;
	select 'negative bytes in collective ' || seq from collective where bytes < 0 limit 1;
	select 'negative bytes in throughput_second' from throughput_second where bytes < 0 limit 1;
	select 'negative time in host_time ' || state from host_time where ns < 0 limit 1;
	select 'negative time in location_time ' || state from location_time where ns < 0 limit 1;
	select 'negative time in device_time ' || state from device_time where ns < 0 limit 1;
	select 'phase ' || name || ' outside of the run' from phase
		where start_ns < 0 or end_ns < start_ns or end_ns > (select duration_ns + (select min(start_ns) from process) from run) limit 1;
	select 'step ' || n || ' outside of the run' from step
		where start_ns < 0 or end_ns < start_ns or end_ns > (select duration_ns + (select min(start_ns) from process) from run) limit 1;
	select 'process ' || name || ' outside of the run' from process
		where start_ns < 0 or end_ns < start_ns or end_ns > (select duration_ns + (select min(start_ns) from process) from run) limit 1;
	-- asleep, or waiting for readers, are parts of state wait
	select 'step ' || s.n || ' sleeps or waits for readers longer than it waits' from step s
		where min(slept_ns, readers_ns) < 0 or slept_ns + readers_ns > (select total(ns) from host_time h
		where h.process_id = s.process_id and h."window" = 'step:' || s.n and h.state = 'wait') limit 1;
	-- lateness is the sum of its parts
	select 'step ' || n || ' is not late by the sum of its parts' from (select n, excess_ns, late_compute_ns
		+ late_host_ns + late_queue_ns + late_cuda_ns + late_wait_ns + late_omp_idle_ns + late_io_ns + late_link_ns
		+ late_copies_ns + late_sleep_ns + late_readers_ns as late from step) where late is not excess_ns limit 1;
	-- states of a rank's main thread fill the window
	select 'states of ' || h.process_id || ' in the run sum up to ' || sum(h.ns) from host_time h
		join process p on p.id = h.process_id and p.rank is not null where "window" = 'run'
		group by h.process_id having sum(h.ns) <> (select duration_ns from run) limit 1;
	select 'states of device ' || device_id || ' in the run sum up to ' || sum(ns) from device_time
		where "window" = 'run' group by device_id having sum(ns) <> (select duration_ns from run) limit 1;
	-- factors
	with f as (select "window" as w, subject as s, model as m, name as n, value as v from metric),
	product(m, whole, a, b) as (values
		('mpi', 'parallel_efficiency', 'load_balance', 'communication_efficiency'),
		('mpi', 'communication_efficiency', 'serialisation_efficiency', 'transfer_efficiency'),
		('hybrid', 'parallel_efficiency', 'mpi_parallel_efficiency', 'thread_efficiency'))
	select p.m || '.' || p.whole || ' of ' || x.w || ' is ' || x.v || ', not ' || (y.v * z.v)
	from product p join f x on x.m = p.m and x.n = p.whole join f y on y.m = p.m and y.n = p.a
		and y.w = x.w and y.s = x.s join f z on z.m = p.m and z.n = p.b and z.w = x.w and z.s = x.s
	where abs(x.v - y.v * z.v) > 1e-9 * abs(x.v) limit 1;
	select model || '.' || name || ' of ' || "window" || ' is ' || value from metric
		where name glob '*efficiency' and (value > 1 + 1e-9 or value < 0) and flag is null limit 1;
	select 'check ' || name || ' failed in ' || "window" || ' without a word' from checks
		where not ok and coalesce(message, '') = '' limit 1;
	SQL
}

# all_hold CASE...: none of their databases breaks one
all_hold() {
	"$top_builddir/tests/unit/golden" "$tacho" "$dir" "$@" >"$dir/out" 2>&1
	: >"$dir/err"
	at=2 looked=0
	for case; do
		at=$((at + 1))
		[ -s "$dir/$at/case.db" ] || continue
		looked=$((looked + 1))
		wrong "$dir/$at/case.db" 2>&1 | sed "s|^|$(basename "$case"): |" >>"$dir/err"
	done
	[ ! -s "$dir/err" ] && [ $looked -ge $(($# * 9 / 10)) ]
}

echo 1..3
all_hold $(worked_cases)
ok $? "identities hold in the databases of all worked cases"
mkdir "$dir/random"
python3 "$top_srcdir/tests/device_random.py" "$dir/random" 101 140 2>"$dir/err"
all_hold "$dir"/random/*.case
ok $? "and in those of random programs"
cp "$dir/3/case.db" "$dir/planted.db"
sqlite3 "$dir/planted.db" "update host_time set ns = ns + 1; update metric set value = 0.5 where model = 'mpi' and name = 'load_balance'"
[ "$(wrong "$dir/planted.db" | grep -c 'sum up to\|parallel_efficiency of run')" = 2 ]
ok $? "a nanosecond too much is seen"
