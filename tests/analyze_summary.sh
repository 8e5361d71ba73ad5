#!/bin/sh
# tacho analyze --summary: profiles and level A are those of the whole analysis; the rest says why it is not there.
tacho="$top_builddir/analyzer/tacho"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
ok() { n=$((n + 1)); if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/err"; fi; }
sql() { sqlite3 "$dir/$1.db" "$2"; }

echo 1..4
for name in phases_and_steps v26_worked_example; do
	mkdir "$dir/$name"
	"$top_builddir/tests/unit/golden" "$tacho" "$dir/$name" write "$top_srcdir/tests/golden/cases/$name.case"
	timeout 20 "$tacho" analyze --db "$dir/whole.$name.db" "$dir/$name/traces.otf2" 2>"$dir/err" &&
		timeout 20 "$tacho" analyze --summary --db "$dir/summary.$name.db" "$dir/$name/traces.otf2" 2>>"$dir/err"
	for mode in whole summary; do
		sql $mode.$name "select * from metric where model in ('host', 'device', 'talp') and window not like 'step:%';
			select * from metric where model = 'mpi' and window not like 'step:%'
				and name in ('parallel_efficiency', 'load_balance', 'communication_efficiency');
			select * from host_time where window not like 'step:%';
			select device_id, window, case when state like 'nccl%' then 'nccl' else state end, sum(ns)
				from device_time where window not like 'step:%' group by 1, 2, 3;
			select * from phase; select * from call; select * from kernel" >"$dir/$mode"
	done
	[ -s "$dir/whole" ] && diff "$dir/whole" "$dir/summary" >>"$dir/err"
	ok $? "$name: figures of level A and profiles are the same in a summary"
done
[ "$(sql whole.phases_and_steps "select count(*) > 0 from step")" = 1 ] &&
	[ "$(sql summary.phases_and_steps "select count(*) from step")" = 0 ] &&
	[ "$(sql summary.phases_and_steps "select count(*) from metric where window like 'step:%'")" = 0 ]
ok $? "a summary has no steps"
[ "$(sql summary.phases_and_steps "select distinct value is null and flag = 'no replay in a summary' from metric
	where model = 'mpi' and name in ('serialisation_efficiency', 'transfer_efficiency', 'ideal_network_runtime')")" = 1 ]
ok $? "what needs the replay is NULL and says why"
