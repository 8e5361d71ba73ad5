#!/bin/sh
# Every finding's place in the timeline: the range and the row in which its cause shows, and a step in full;
# and who was on the critical path when.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 10

make_run run 4 100 2 train gpu
db=$work/run/tacho.db
# The phase test is the last one; of the bins 7 has most I/O, of rank 3 bin 40, and bin 30 most of MPI in steps: 0 has more.
sqlite3 "$db" "update timeline set shares = (select json_group_array(case when timeline.state = 'io' and value >= 0 then
		case when key = 7 then 900 when key = 40 and location_id = 10 then 950 else 10 end
		when timeline.state = 'mpi' then case key when 0 then 1000 when 30 then 800 else 10 end
		when timeline.state = 'wait' then case key when 20 then 500 else 10 end else value end) from json_each(timeline.shares));
	insert into finding (run_id, rule, variant, n, seconds, message, brief, evidence, culprit_rank, phase) values
	(1, 'serial_phase', null, 1, 9, 'phase test is a serial section on rank 0', 'in test, the other ranks wait for rank 0', '', 0, 'test'),
	(1, 'exposed_io', 'reads', 2, 8, 'no prefetching', 'the ranks read', '', null, null),
	(1, 'checkpoint', 'rank', 3, 7, 'rank 3 writes', 'the other rank waits while rank 3 writes', '', 3, null),
	(1, 'uneven_steps', null, 4, 6, 'rank 2 has more work', 'the other ranks wait for rank 2', '', 2, null),
	(1, 'exposed_io', 'same_files', 5, 5, 'all 2 nodes read', 'all nodes read the same', '', null, null),
	(1, 'socket_late', null, 6, 4, 'rank 0 waits until rank 1 sends', 'the other rank waits until rank 1 sends', '', 1, null),
	(1, 'hang', null, 7, 3, 'hang: ranks 0 and 2 wait for rank 1', 'the ranks wait', '', 1, null),
	(1, 'outside_more', 'more', 8, 2, 'rank 3 has more to do', 'rank 3 has more to do before the first step', '', 3, null),
	(1, 'unused_gpu', null, 9, 1, '1 of 4 GPUs computes nothing', 'a GPU without work', '', null, null),
	(1, 'gpu_starved', 'launches', 10, 1, 'launch-bound', 'the GPUs wait', '', null, null),
	(1, 'without_core', null, 11, 1, 'no core', 'no core', '', null, null),
	(1, 'gpu_imbalance', null, 12, 1, 'imbalance', 'the other GPUs wait for that of rank 1', '', 1, null);
	insert into finding_time (run_id, n, phase, kind, seconds, shared) values (1, 8, '(start)', 'own', 2, 0);
	delete from device_time where device_id = 4 and state = 'compute';
	insert into device_time (run_id, device_id, window, state, ns) values (1, 4, 'run', 'compute', 0);"

# Seconds of the range; of bins the number of the middle one.
ask() {
	{
		echo ".param set :run 1"
		cat "$top_builddir/analyzer/advise/rule_keys.sql" "$top_srcdir/reports/page/timeline_tables.sql" "$top_srcdir/reports/page/place_tables.sql"
		echo "select $1;"
	} | sqlite3 -bail -list "$db"
}
places() {
	ask "p.n || ' ' || coalesce(rule, '') || ': ' || coalesce(row, '-') || ', ' || coalesce(round(from_ns / 1e9, 2) || ' to '
		|| round(to_ns / 1e9, 2), '-') || ', ' || coalesce(p.state, '-') || ', ' || coalesce(p.step, '-')
		from finding_place p join finding f on f.run_id = 1 and f.n = p.n order by p.n"
}
expect() {
	grep -qxF "$1" "$work/places" || { grep "^${1%% *} " "$work/places" | sed 's/^/# /'; return 1; }
}
places >"$work/places"
expect '1 serial_phase: rank 0, 12.4 to 13.0, -, -' && expect '8 outside_more: rank 3, 0.0 to 1.0, -, -' && expect '7 hang: rank 1, 11.0 to 14.0, mpi, -'
check $? "a phase, a late start and a hang are ranges of time"
expect '2 exposed_io: -, 1.68 to 2.52, io, 0' && expect '3 checkpoint: rank 3, 10.92 to 11.76, io, 0' &&
	expect '4 uneven_steps: rank 2, 8.12 to 8.96, mpi, 0' && expect '10 gpu_starved: -, 0.0 to 0.56, idle:launch_latency, 50'
check $? "what steps lose shows where most of it is within them, and in a step in full"
expect '6 socket_late: rank 1, 5.32 to 6.16, wait, -' && expect '5 exposed_io: -, 1.68 to 2.52, io, 0' &&
	expect '9 unused_gpu: emulated GPU 3:0, -, -, -' && expect '11 without_core: -, -, -, -' &&
	ask "count(*) from finding_place where n = 12 and row = 'emulated GPU 1:0'" | grep -qx 1
check $? "the row is that of the culprit, of a GPU its own"
GNUPLOT=none "$tacho" report "$work/run" >/dev/null 2>&1
tr -d '\n' <"$work/run/report.html" | sed 's/<li id="finding-/\n&/g; s/<li id="finding-13/\n&/' >"$work/lines"
grep -q '^<li id="finding-2".*{&quot;n&quot;:2,&quot;from&quot;:1680000006,&quot;to&quot;:2520000009,&quot;state&quot;:&quot;io&quot;}">see it in the timeline</a>.*step&quot;:0,[^>]*>in step 0<' "$work/lines" &&
	! grep '^<li id="finding-11"' "$work/lines" | sed 's/<.ol>.*//' | grep -q 'class="place"'
check $? "the findings of the page lead there"

# Rank 2 sleeps longest in step 49, and of the steps in full in step 50.
sqlite3 "$db" "update step set slept_ns = case n when 49 then 9000000 when 50 then 5000000 else 1000 end
		where process_id = (select id from process where rank = 2);
	update timeline_step set state = 'wait' where step = 50 and state = 'useful' and location_id = 7;
	insert into finding (run_id, rule, variant, n, seconds, message, evidence, culprit_rank, first_step, last_step) values
	(1, 'step_wait', 'sleep', 98, 1, 'rank 2 sleeps', '', 2, 10, 90)"
[ "$(ask "step || ' ' || (select count(*) from step s where s.n = 49 and s.process_id = (select id from process where rank = 2)
	and from_ns < s.start_ns and to_ns > s.end_ns) from finding_place where n = 98")" = "50 1" ]
check $? "a cause shows where its rank has most of it"

# Each rule of the advisor has its place, or is said to have none.
for file in "$top_srcdir"/reports/findings/*.rule; do
	rule=$(basename "$file" .rule)
	sed -n 's/^\(of\|timeline\|rows\|message\|brief\)\.\([a-z_]*\).*/\2/p' "$file" | grep -vx 'run\|steps\|nvlink\|variable\|once\|quota\|others\|own\|unused' |
		sort -u | sed "s/^/$rule /" | grep . || echo "$rule"
done | awk '{ printf "insert into finding (run_id, rule, variant, n, seconds, message, evidence) values (1, %c%s%c, nullif(%c%s%c, %c%c), %d, 1, %cx%c, %c%c);\n", 39, $1, 39, 39, $2, 39, 39, 39, 100 + NR, 39, 39, 39, 39 }' |
	sqlite3 "$db"
ask "rule || coalesce('/' || variant, '') from place_way where n > 100 and shows is null" | sed 's/^/# no place for /' >"$work/lacking"
cat "$work/lacking"
[ ! -s "$work/lacking" ] && ask "count(distinct rule) > 25 and count(distinct n) > 40 from place_way where n > 100" | grep -qx 1
check $? "no rule is forgotten"
sqlite3 "$db" "insert into finding (run_id, rule, n, seconds, message, evidence) values (1, 'no_rule', 99, 1, 'x', '')"
ask "rule from place_way where shows is null and rule = 'no_rule'" | grep -qx no_rule
check $? "a rule that the table lacks is found"

# Rank k % 4 comes last to collective k, which takes 8 ms, and the one in the middle 80: of it the network is.
on_path() {
	{
		echo ".param set :run 1"
		cat "$top_srcdir/reports/page/path_tables.sql"
		echo "select $1;"
	} | sqlite3 -bail -list "$db"
}
on_path "count(*) from path_over" | grep -qx 0
check $? "a path over time that is not the one that was followed is left out"
sqlite3 "$db" "delete from collective where kind = 'nccl';
	update collective set end_ns = last_ns + 80000000 where seq = 50 and kind = 'mpi';
	delete from metric where model = 'critical_path' and name = 'length' and subject <> '';
	insert into metric (run_id, window, model, name, subject, value, unit, flag)
		select 1, 'run', 'critical_path', 'length', 'rank:' || rank, 4e9, 'ns', null from process where rank is not null"
on_path "group_concat(label, ' ') from path_over where to_ns > 5.8e9 and from_ns < 6.2e9" >"$work/path"
GNUPLOT=none "$tacho" report "$work/run" >/dev/null 2>&1
python3 "$samples/html_check.py" --data "$work/run/report.html" >"$work/data"
sed 's/^/# /' "$work/path"
[ "$(cat "$work/path")" = "rank 0 rank 1 rank 2 network rank 3 rank 0 rank 1" ] && grep -q '"path":\[\["rank 2",0,' "$work/data"
check $? "the path goes from the rank that comes last to the network, and on with the next one"

# Of equal ones the lower rank is first, by its number.
make_run many 12 2 1 train gpu
db=$work/many/tacho.db
sqlite3 "$db" "insert into finding (run_id, rule, n, seconds, message, evidence) values (1, 'unused_gpu', 1, 1, '2 of 12 GPUs compute nothing', '');
	delete from device_time where device_id in (3, 11);
	delete from metric where model = 'critical_path' and subject <> '';
	insert into metric (run_id, window, model, name, subject, value, unit, flag)
		select 1, 'run', 'critical_path', 'length', 'rank:' || column1, 5e8, 'ns', null from (values (10), (2))"
{ echo '.param set :run 1'; cat "$top_srcdir/reports/page/critical_path.sql"; } | sqlite3 -bail -list "$db" | grep '^rank' | cut -d '|' -f 2 | tr '\n' ' ' >"$work/ties"
ask "row from finding_place" >>"$work/ties"
sed 's/^/# /' "$work/ties"
[ "$(cat "$work/ties")" = "rank 2 rank 10 emulated GPU 2:0" ]
check $? "ties of ranks are in the order of their numbers"
