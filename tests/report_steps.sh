#!/bin/sh
# What a page says of steps and collectives is what is counted from the database without SQL, however
# many threads made it.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3 gnuplot
plan 8

# agrees NAME: makes the page of that run and counts
agrees() {
	"$tacho" report "$work/$1" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] &&
		python3 "$samples/steps_check.py" "$work/$1/tacho.db" "$work/$1/report" 2>"$work/said" && return
	sed 's/^/# /' "$work/said"
	return 1
}

make_run even 6 100 2 train
agrees even
check $? "steps that all ranks take together"

# Rank 0 is steps ahead from 30 on, as after a phase of its own; steps 40 to 49 are of no phase; rank 1 lacks one and
# was killed in another, rank 4 took none, nobody was recorded in three. Of some nobody knows who waited.
make_run uneven 5 120 2 train
sqlite3 "$work/uneven/tacho.db" "update step set n = n + 1000 where process_id = 1 and n >= 30;
	update step set n = n - 995 where process_id = 1 and n >= 1000; update step set phase_id = null where n between 40 and 49;
	update step set phase_id = 2 where process_id = 1 and n between 20 and 24;
	delete from step where process_id = 2 and n = 17 or process_id = 5 or n between 60 and 62;
	update step set cut = 1 where process_id = 2 and n = 119; update step set waited_ns = null where n % 7 = 3"
agrees uneven
check $? "ranks in different phases, steps that are missing or truncated, none of a phase"

# each step of a phase of its own: a plot has eight series
make_run names 2 1200 1 train
sqlite3 "$work/names/tacho.db" "insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns)
	select 1000000 + process_id * 2000 + n, run_id, process_id, 'own ' || n, 0, start_ns, end_ns from step;
	update step set phase_id = 1000000 + process_id * 2000 + n where n >= 5"
"$tacho" report "$work/names" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] &&
	[ "$(tail -n +2 "$work/names/report/step_histogram.csv" | awk -F, '{ seen[$1] = 1; n += $3 } END { print length(seen), n }')" = "8 2400" ] &&
	grep -q "more rows are in the CSV file" "$work/names/report.html"
check $? "a thousand phases are few series, and not all rows of the page"

# of a training in PyTorch, whose parts are known of all steps but some of rank 1's, and no forward pass
make_run long 3 2700 1 train
sqlite3 "$work/long/tacho.db" "update step set loading_ns = n * 1000, backward_ns = 2000000 + process_id, communication_ns = 7000000,
	optimizer_ns = 3000, checkpoint_ns = case when n % 100 = 99 then 20000000 else 0 end where not (process_id = 2 and n > 2000);
	update step set other_ns = end_ns - start_ns - loading_ns - backward_ns - communication_ns - optimizer_ns - checkpoint_ns"
agrees long && [ "$(wc -l <"$work/long/report/parts_by_step.csv")" -eq 901 ]
check $? "more steps than a plot has columns are joined, and so are their parts"

make_run gpus 3 2700 1 train gpu
sqlite3 "$work/gpus/tacho.db" "delete from device_time where device_id = 2 and window in ('step:30', 'step:31', 'step:32', 'step:33', 'step:34', 'step:35');
	update device_time set ns = ns + 7 * substr(window, 6) where window like 'step:%' and state in ('compute', 'memcpy')"
agrees gpus
check $? "so is what GPUs did in them"

make_run wide 600 12 4 train gpu
"$tacho" report "$work/wide" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] &&
	[ "$(tr -d '\r' <"$work/wide/report/step_own.csv" | awk -F, '$1 ~ "^(ranks|stragglers)$" && $5 { print $5 }' | sort -u | wc -l)" -eq 48 ] &&
	grep -q '^stragglers,[^,]*,[0-9]*,[^,]*,rank 2' "$work/wide/report/step_own.csv" && grep -q '^names,.*rank 2, 1.03 times as slow' "$work/wide/report/step_own.csv"
check $? "of many ranks 48 have points, stragglers first, with their names"
# of devices 0 to 2 one computes half as much as the others
tr -d '\r' <"$work/wide/report/step_device.csv" >"$work/map"
[ "$(grep -c ',7,' "$work/map")" -eq 200 ] && grep -q '^0,0:0 (emulated),7,0.5,' "$work/map" && grep -q '^3,3:0 (emulated),7,0.6,' "$work/map"
check $? "more GPUs than a map has rows are averaged"

taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$tacho" report -o "$work/page.html" "$work/uneven" >/dev/null &&
	cp "$work/page.html" "$work/one.html" && "$tacho" report -o "$work/page.html" "$work/uneven" >/dev/null &&
	cmp "$work/page.html" "$work/one.html"
check $? "one thread makes the same page as many"
