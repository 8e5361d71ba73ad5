#!/bin/sh
# tacho analyze --summary: profiles and GPU activity states are those of the whole analysis; the rest says why it is not there.
. "$top_srcdir/tests/analyze_common.sh"
sql() { sqlite3 "$dir/$1.db" "$2"; }

# both NAME ARCHIVE: analyzes it whole and as a summary, and compares what both have.
both() {
	timeout 60 "$tacho" -q analyze $jobs --db "$dir/whole.$1.db" "$2" 2>"$dir/err" &&
		timeout 60 "$tacho" -q analyze $jobs --summary --db "$dir/summary.$1.db" "$2" 2>>"$dir/err" || return
	for mode in whole summary; do
		# of networks and waits the replay says who sent to whom, or ended them; a gap of a device ends where a step does; what lies between found steps is a phase
		sql $mode.$1 "select * from metric where model in ('host', 'device', 'talp', 'quality', 'hybrid') and window not like 'step:%'
				and name not in ('steps', 'wait_for_readers', 'longest_wait_for_readers', 'in_steps', 'trained', 'waited_ranks', 'waited_ranks_after', 'waited_in');
			select * from metric where model = 'mpi' and window not like 'step:%'
				and name in ('parallel_efficiency', 'load_balance', 'communication_efficiency');
			select * from host_time where window not like 'step:%';
			select device_id, window, case when state like 'nccl%' then 'nccl' else state end, sum(ns)
				from device_time where window not like 'step:%' group by 1, 2, 3;
			select * from location; select * from location_time order by 1, 2, 3;
			select * from phase; select * from call; select * from kernel; select * from copy; select * from median;
			select * from gpu_summary; select * from call_summary; select * from io_file; select * from throughput_second where kind not like 'network%';
			select * from checks where name like '%partition%' or name in ('locations_whole', 'regions_nest')" | grep -v "between steps" >"$dir/$mode"
	done
	# the whole analysis rounds the share of a state and that of its waits, in thousandths; the summary rounds their sum
	sqlite3 "$dir/whole.$1.db" "attach '$dir/summary.$1.db' as summary;
		with share as (select 1 as side, t.location_id, t.state, t.bin_ns, v.key, v.value from main.timeline t, json_each(t.shares) v
			union all select -1, t.location_id, t.state, t.bin_ns, v.key, v.value from summary.timeline t, json_each(t.shares) v)
		select location_id, replace(state, '_wait', '') as state, bin_ns, key, sum(side * value) from share
			where location_id is not null group by 1, 2, 3, 4 having abs(sum(side * value)) > 1" >"$dir/apart"
	cat "$dir/apart" >>"$dir/err"
	[ -s "$dir/whole" ] && diff "$dir/whole" "$dir/summary" >>"$dir/err" && [ ! -s "$dir/apart" ]
}

echo 1..7
worst=0 n_cases=0
all=$(worked_cases phases_and_steps)
for case in $all; do
	name=$(basename "$case" .case)
	mkdir "$dir/$name"
	"$top_builddir/tests/unit/golden" "$tacho" "$dir/$name" write "$case" >/dev/null 2>&1 || continue
	n_cases=$((n_cases + 1))
	[ $name = socket_wait ] && continue
	both "$name" "$dir/$name/traces.otf2" || { worst=1; echo "# $name differs"; sed 's/^/# /' "$dir/err"; }
done
[ $worst -eq 0 ] && [ $n_cases -gt $(($(echo "$all" | wc -l) / 3)) ]
ok $? "figures of GPU activity states and profiles are the same in a summary, in all $n_cases worked cases"
"$top_builddir/tests/bench/analyze_gpu" "$dir/gpu" 100000 60 3 && both gpu "$dir/gpu/traces.otf2"
ok $? "and of 20 ranks with 20 GPUs"
[ "$(sql summary.gpu "select count(*) from device_time where state like 'nccl_%'")" = 0 ] &&
	[ "$(sql summary.gpu "select sum(ns) > 0 from device_time where state = 'nccl'")" = 1 ]
ok $? "a summary does not part NCCL's waiting from its moving"
mkdir "$dir/sockets" && "$top_builddir/tests/unit/golden" "$tacho" "$dir/sockets" write "$top_srcdir/tests/golden/cases/socket_wait.case" >/dev/null 2>&1
timeout 60 "$tacho" -q analyze --summary --db "$dir/summary.sockets.db" "$dir/sockets/traces.otf2" &&
	[ "$(sql summary.sockets "select count(*) from metric where model in ('mpi', 'host') and window = 'run' and name like '%efficiency' and value is not null
		and flag is not 'a summary does not know of waits through sockets that they are for other ranks'")" = 0 ]
ok $? "waits for other ranks through sockets, which the replay knows, are flagged"
rm "$dir"/*.gpu.db
jobs="-j 2"
both gpu "$dir/gpu/traces.otf2"
ok $? "two readers give the same"
jobs=
[ "$(sql whole.phases_and_steps "select count(*) > 0 from step")" = 1 ] &&
	[ "$(sql summary.phases_and_steps "select count(*) from step")" = 0 ] &&
	[ "$(sql summary.phases_and_steps "select count(*) from metric where window like 'step:%'")" = 0 ]
ok $? "a summary has no steps"
[ "$(sql summary.phases_and_steps "select distinct value is null and flag = 'no replay in a summary' from metric
	where model = 'mpi' and name in ('serialisation_efficiency', 'transfer_efficiency', 'ideal_network_runtime')")" = 1 ]
ok $? "what needs the replay is NULL and says why"
