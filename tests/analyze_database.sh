#!/bin/sh
# A database of several runs: older ones are brought up to date, newer ones left alone, readers go on reading, and
# whoever is killed in the middle leaves what was there.
. "$top_srcdir/tests/analyze_common.sh"
sql() { sqlite3 "$dir/db" "$1"; }
for name in v03_serialised_pipeline phases_and_steps; do
	make_case $name
done
one="$dir/v03_serialised_pipeline/traces.otf2"
two="$dir/phases_and_steps/traces.otf2"
analyze() { timeout 60 "$tacho" analyze --db "$dir/db" "$1" 2>"$dir/err"; }
shape() { sqlite3 "$1" "select type, name, sql from sqlite_master order by type, name"; }

echo 1..12
"$tacho" analyze --db "$dir/new" "$one" 2>"$dir/err"
sqlite3 "$dir/db" <"$top_srcdir/tests/golden/schema-1.sql"
sql "insert into run (id, label, path, duration_ns, nranks, nlocations, nevents, tacho_version, analyzed_ns)
	values (7, 'old', '/old', 10, 1, 1, 2, '0.0', 0);
	insert into node (id, run_id, hostname) values (3, 7, 'n');
	insert into process (id, run_id, node_id, rank, name, start_ns, end_ns) values (4, 7, 3, 0, 'rank 0', 0, 10);
	insert into step (run_id, process_id, n, start_ns, end_ns, samples) values (7, 4, 0, 0, 5, 32);
	insert into sample (run_id, node_id, name, t_ns, value) values (7, 3, 'net.eth0.rx_bytes', 1, 2.5);
	insert into metric (run_id, window, model, name, value) values (7, 'run', 'mpi', 'parallel_efficiency', 0.5),
	(7, 'run', 'host', 'handover_efficiency', 0.25), (7, 'run', 'quality', 'own_cost', 0.1)" 2>"$dir/err"
analyze "$one" && [ "$(shape "$dir/db")" = "$(shape "$dir/new")" ] &&
	[ "$(sql "select value from meta")" = "$(sqlite3 "$dir/new" "select value from meta")" ]
ok $? "a database of version 1 gets the present schema"
[ "$(sql "select label from run where id = 7; select parallel_efficiency from pop where run_id = 7; select samples from step
	where run_id = 7; select value from sample where run_id = 7; select synchronisation_efficiency from pop where run_id = 7;
	select value from metric where run_id = 7 and model = 'quality' and name = 'overhead'")" = "$(printf 'old\n0.5\n32\n2.5\n0.25\n0.1')" ] &&
	[ -z "$(sql "pragma foreign_key_check")" ] && [ "$(sql "pragma integrity_check")" = ok ]
ok $? "and keeps the runs it has"
[ "$(sql "select count(*) from run")" = 2 ] && [ "$(sql "select count(*) from metric where run_id = 8")" = \
	"$(sqlite3 "$dir/new" "select count(*) from metric")" ]
ok $? "next to the new one, which is complete"

cp "$dir/db" "$dir/kept"
sql "update meta set value = 1000"
cp "$dir/db" "$dir/newer"
analyze "$two"
[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q 'newer tacho' "$dir/err" && cmp -s "$dir/db" "$dir/newer"
ok $? "a database of a newer version is refused in a sentence and untouched"
cp "$dir/kept" "$dir/db"

sqlite3 "$dir/foreign" "create table meta (key, value); create table mine (x)"
cp "$dir/foreign" "$dir/copy"
"$tacho" analyze --db "$dir/foreign" "$one" 2>"$dir/err"
[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" = 1 ] && cmp -s "$dir/foreign" "$dir/copy"
ok $? "so is a database of somebody else"

analyze "$one" && [ "$(sql "select count(*) from run")" = 2 ] && [ "$(sql "select count(*) from call where run_id not in
	(select id from run)")" = 0 ] && [ -z "$(sql "pragma foreign_key_check")" ]
ok $? "the run of the same archive is replaced, with all that belongs to it"

# A reader asks again and again while runs are written; it waits as long as programs do by default in Python (5 s).
: >"$dir/reading"
(while [ -e "$dir/reading" ]; do
	sqlite3 -cmd '.timeout 5000' "$dir/db" "select count(*) from run join metric on run_id = id" >/dev/null || echo failed
	echo read
done >"$dir/reads" 2>&1) &
wrong=0
for archive in "$one" "$two" "$one" "$two" "$one"; do analyze "$archive" || wrong=1; done
rm "$dir/reading"
wait
[ $wrong = 0 ] && ! grep -qv '^read$' "$dir/reads" && [ "$(grep -c read "$dir/reads")" -gt 0 ] && [ "$(sql "select count(*) from run")" = 3 ]
ok $? "readers and writers get along"

# Killed at any moment: the database is complete, with the runs from before at least.
timeout 60 "$tacho" analyze --db "$dir/single" "$one" 2>/dev/null
wrong=0
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
	"$tacho" analyze --db "$dir/db" "$two" 2>/dev/null &
	pid=$!
	sleep "$(echo $round | awk '{ printf "%.3f", $1 * 0.003 }')"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ "$(sqlite3 -cmd '.timeout 5000' "$dir/db" "pragma integrity_check; select count(*) from run" 2>&1 | tail -n 2 | tr '\n' ' ')" = "ok 3 " ] || wrong=1
done 2>/dev/null
: >"$dir/err"
ok $wrong "killed at any moment, a database of several runs keeps its state"

wrong=0
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$tacho" analyze "$one" 2>/dev/null &
	pid=$!
	sleep "$(echo $round | awk '{ printf "%.3f", $1 * 0.004 }')"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ ! -e "${one%.otf2}.db" ] || [ "$(sqlite3 "${one%.otf2}.db" "pragma integrity_check; select count(*) from run" | tr '\n' ' ')" = "ok 1 " ] || wrong=1
done 2>/dev/null
ok $wrong "and a run's own is the old one or the new one"

# what the killed ones left, and what others have next to it
base="${one%.otf2}.db"
for _ in $(seq 100); do	# whom a killed one had started ends a moment later
	pgrep -f "$one" >/dev/null || break
	sleep 0.1
done
echo half >"$base.0123abcd"
echo mine >"$base.backup"
: >"$base.89abcdef"	# may have been made just now
"$tacho" analyze "$one" 2>"$dir/err" &&
	[ -e "$base.89abcdef" ] && [ "$(find "$dir/v03_serialised_pipeline" -name 'traces.db*' -size +0 | sort | tr '\n' ' ')" = \
		"$base $base.backup " ]
ok $? "what killed ones left next to a database goes with the next analysis, and nothing else does"
wrong=0 pids=
for _ in 1 2 3 4; do
	"$tacho" analyze "$one" 2>>"$dir/err" &
	pids="$pids $!"
done
for pid in $pids; do wait "$pid" || wrong=1; done
ok $wrong "nor what another analysis is writing"

rm -f "$dir"/v03*/traces.db*
"$tacho" analyze "$one" 2>/dev/null &
pid=$!
sleep 0.01
kill -TERM $pid 2>/dev/null
wait $pid 2>/dev/null
begun() { find "$dir/v03_serialised_pipeline" -name 'traces.db.*'; }
for _ in $(seq 50); do		# by a process that has to get a core first
	sleep 0.1
	[ -n "$(begun)" ] || break
done
[ -z "$(begun)" ]
ok $? "whoever is asked to end removes what was begun"
