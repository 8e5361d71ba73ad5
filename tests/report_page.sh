#!/bin/sh
# The page of a run: well-formed, complete, the same text as in tests/report/*.txt, nothing from
# outside.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 28
html() { python3 "$samples/html_check.py" "$@"; }

make_run run1 4 100 2 train
path=$("$tacho" report "$work/run1" 2>"$work/said")
check $? "tacho report succeeds"
[ "$path" = "$work/run1/report.html" ] && [ ! -e "$path.tmp" ]
check $? "it prints the path of the page"
html "$path"
check $? "the page is well-formed, its links lead somewhere and nothing is fetched"
html --text "$path" | sed 's/^Written by tacho.*/Written by tacho/' >"$work/text"
if command -v gnuplot >/dev/null 2>&1; then
	golden page_run1 "$work/text"
	check $? "its text is that of tests/report/page_run1.txt"
else
	skip "gnuplot is not installed"
fi
grep -q "default-src 'none'" "$path"
check $? "its policy forbids the network, and scripts but the one that it names"

if command -v gnuplot >/dev/null 2>&1; then
	[ ! -s "$work/said" ] && [ "$(grep '<svg' "$path" | grep -vc 'class="icicle"')" -eq "$(ls "$work"/run1/report/*.svg | wc -l)" ] &&
		[ "$(grep -c '<svg' "$path")" -ge 7 ]
	check $? "every plot is in the page and a file next to it"
	ok=0
	for gp in "$work"/run1/report/*.gp; do
		(cd "$work/run1/report" && cp "$(basename "$gp" .gp).svg" before && gnuplot "$(basename "$gp")" 2>/dev/null &&
			cmp -s before "$(basename "$gp" .gp).svg") || { ok=1; echo "# $gp"; }
		[ -s "${gp%.gp}.csv" ] || ok=1
	done
	check $ok "a plot's files draw it again, and its data are next to it"
	python3 - "$work/run1/report" "$path" <<'P'
import glob, os, struct, sys
page = open(sys.argv[2], encoding="utf-8").read()
svgs = glob.glob(sys.argv[1] + "/*.svg")
assert svgs
for svg in svgs:
    name = os.path.basename(svg)[:-4]
    png = open(svg[:-3] + "png", "rb").read()
    wide, high = struct.unpack(">II", png[16:24])
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and png[-8:-4] == b"IEND" and wide == 1800 and high > 200, (name, wide, high)
    assert len(set(png)) > 50, name + " is empty"
    for kind in "svg", "png":
        assert 'href="report/%s.%s"' % (name, kind) in page, name
P
	check $? "every plot is a PNG, too, and both are linked"
	"$tacho" report -o "$work/e#f ?.html" "$work/run1" >/dev/null &&
		html "$work/e#f ?.html" && grep -q 'href="e%23f%20%3F/steps.png"' "$work/e#f ?.html"
	check $? "links to files hold whatever the page is called"
else
	skip "gnuplot is not installed"
	skip "gnuplot is not installed"
	skip "gnuplot is not installed"
	skip "gnuplot is not installed"
fi

make_run killed 4 100 2 train killed
"$tacho" report "$work/killed" >/dev/null && html "$work/killed/report.html"
check $? "the page of a killed run is well-formed"
html --text "$work/killed/report.html" >"$work/text"
grep -q 'This run was truncated' "$work/text" &&
	grep -q 'rank 1 was killed at 12.346 s, inside MPI_Allreduce for 2.100 s' "$work/text" &&
	grep -q '1,234 events lost' "$work/text" && ! grep -qx 'MPI wait' "$work/text"
check $? "it says that the run was truncated, not how long others waited for what never came, which rank was inside which call, and what was lost"
grep -q '^Serialisation efficiency | –1 | 0.88' "$work/text" &&
	grep -q "^the replay needs every rank's end" "$work/text"
check $? "an undefined figure is a dash with its reason"

make_run gpu 4 100 2 train gpu
sqlite3 "$work/gpu/tacho.db" "insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence, is_bound, culprit_rank) values
	(1, 'step_compute', 1, 1.48, 'rank 2 is slow', 'all wait for rank 2', 'select 1', 'look at n1', 'high', 0, 2),
	(1, 'step_wait', 3, 0.5, 'all sleep', 'all sleep', 'select 3', 'find out why', 'low: an upper bound', 1, null),
	(1, 'quality', 2, 0, 'clocks are weak', 'figures are unsure', 'select 2', null, null, 0, null)"
"$tacho" report "$work/gpu" >/dev/null && html "$work/gpu/report.html" &&
	grep -q '<strong>Emulated GPUs' "$work/gpu/report.html" &&
	grep -q 'class="s-idle-io_wait"' "$work/gpu/report.html" &&
	html --text "$work/gpu/report.html" >"$work/text" && grep -q '^gemm | 56 % | 1.80 s | 2,800 | 643 µs | 80 %$' "$work/text" &&
	grep -q '^host to device | pageable | 100 | 4.19 GB | 25 % | 41.9 MB | 40.0 ms | 105 GB/s' "$work/text" &&
	grep -q '^emulated GPU 0:0 | 25 % | 60 % ' "$work/text" &&
	! sed 's/emulated GPU//' "$work/text" | grep -q 'GPU [0-9]:'
check $? "emulated GPUs are called that"
if command -v gnuplot >/dev/null 2>&1; then
	grep -vxFf "$samples/page_run1.txt" "$work/text" | grep -v '^Written by tacho' >"$work/gpu.txt"
	golden page_gpu "$work/gpu.txt"
	check $? "what a run on GPUs has besides is that of tests/report/page_gpu.txt"
else
	skip "gnuplot is not installed"
fi
# 60 of 100 ms computed, 30 of the device of rank 2, none in every tenth step: as gpu.sql has it
map=$work/gpu/report/step_device.csv
[ "$(wc -l <"$map")" -eq 401 ] && tr -d '\r' <"$map" | grep -qxF '0,0:0 (emulated),8,0.6,0.1,0' &&
	tr -d '\r' <"$map" | grep -qxF '2,2:0 (emulated),8,0.3,0.2,0.05' && tr -d '\r' <"$map" | grep -qxF '3,3:0 (emulated),99,0,0,0'
check $? "the map of GPUs and steps has the share that each computed in each"
sed -n '/^# Findings/,/^CSV/p' "$work/text" | tr '\n' ';' | grep -qF '1;1.48 s;saved;rank 2 is slow;look at n1;high;see it in the timeline;Evidence;select 1;2;note;clocks are weak;Evidence;select 2;3;≤ 500 ms;saved;all sleep;find out why;low: an upper bound;see it in the timeline;Evidence;select 3;CSV'
check $? "findings say what they save, or save at most, what was seen and what to do, and notes save nothing"
grep -qxF 'rank 0 | n1 | 0-1 | 0 | emulated GPU 0 on NUMA 0 | ✓' "$work/text" &&
	grep -qxF 'rank 1 | n1 | 2-3 | 1 | emulated GPU 0 on NUMA 0 | ✗ emulated GPU 0 is on NUMA 0, the rank on 1' "$work/text"
check $? "a rank that is far from its device is marked"

html --data "$work/gpu/report.html" >"$work/data"
grep -qF '"GPU 0 · stream 13"' "$work/data" && ! grep -qF 'CUDA[0:13]' "$work/data" "$work/gpu/report.html" &&
	{ ! command -v gnuplot >/dev/null || { grep -q 'thread 4' "$work/gpu/report/timeline_step.svg" && grep -q 'GPU 0 · 13' "$work/gpu/report/timeline_step.svg"; }; }
check $? "streams and threads have names for people"
map=$work/gpu/report/traffic_map.csv
[ "$(wc -l <"$map")" -eq 17 ] && tr -d '\r' <"$map" | grep -qxF '0,1,24,3' && tr -d '\r' <"$map" | grep -qxF '3,0,24,3' && tr -d '\r' <"$map" | grep -qxF '1,0,0,0'
check $? "the map of ranks has what each sent to each"
sqlite3 "$work/gpu/tacho.db" "update collective set last_rank = 2 where seq = 536870912 * (1 + 1)"
"$tacho" report "$work/gpu" >/dev/null 2>&1 && ! grep -q 'id="table-traffic_map\|traffic_map.csv' "$work/gpu/report.html"
check $? "which is left out where ranks of the communicator are not those of the job"
grep -qF 'pairs | NCCL | 2 | ranks 0 to 2, every 2nd | not known | – | – |' "$work/text" && grep -qF 'world | NCCL | 4 | ranks 0 to 3 | all ranks |' "$work/text"
check $? "communicators are listed with their members"
sqlite3 "$work/gpu/tacho.db" "delete from communicator where id = 78; delete from collective_rank where comm_id = 78;
	insert into communicator (run_id, id, kind, name, size)
		select 1, 200 + g, 'nccl', case g when 6 then 'tensor_x' else 'group ' || g end, 2 from (with recursive c(g) as (select 0 union all select g + 1 from c where g < 6) select g from c);
	insert into collective_rank (run_id, kind, comm_id, rank, op, calls, wait_ns, transfer_ns)
		select 1, 'nccl', 200 + g.column1, r.value, g.column3, 10, 1000, 2000 from
	(values (0, '[0,1]', 'allreduce'), (1, '[2,3]', 'allreduce'), (2, '[0,2]', 'reduce_scatter'), (3, '[1,3]', 'reduce_scatter'), (4, '[1,2]', 'send'), (5, '[0,3]', 'allreduce'), (6, '[0,3]', 'allreduce')) g,
	json_each(g.column2) r" && GNUPLOT= "$tacho" report "$work/gpu" >/dev/null 2>&1 && html --text "$work/gpu/report.html" | grep '^group \|^tensor_x ' >"$work/groups"
for group in 0:tensor 1:tensor 2:data 3:data 4:pipeline, '5:not known'; do
	grep -q "^group ${group%%:*} | NCCL | 2 | [^|]* | ${group#*:}" "$work/groups" || echo "# $group: $(grep "^group ${group%%:*}" "$work/groups")"
done >"$work/said"
[ ! -s "$work/said" ] && grep -q '^tensor_x | NCCL | 2 | [^|]* | tensor |' "$work/groups"
check $? "groups are named by what they are for where name, calls or members say it, else not"
cat "$work/said"
map=$work/gpu/report/step_device.csv

# A killed rank lacks its last step, and nobody was recorded in three: an image needs every pixel all the same.
sqlite3 "$work/gpu/tacho.db" "delete from step where n = 99 and process_id = 3 or n between 50 and 52;
	delete from device_time where window = 'step:99' and device_id = 3 or window in ('step:50', 'step:51', 'step:52')"
"$tacho" report "$work/gpu" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] &&
	tr -d '\r' <"$map" | grep -qxF '2,2:0 (emulated),99,,,' &&
	! tr -d '\r' <"$work/gpu/report/step_own.csv" | grep -q '^[rs][^,]*,[^,]*,\(99,.*rank 2\|5[012],\)' && grep -q ',98,.*rank 2' "$work/gpu/report/step_own.csv"
check $? "steps that are missing are gaps in the map, and have no points"
make_run one 1 40 1 train gpu
"$tacho" report "$work/one" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] &&
	[ "$(wc -l <"$work/one/report/step_device.csv")" -eq 41 ]
check $? "a single GPU has a map of one row"

make_run nothing 1 1 1 empty
"$tacho" report "$work/nothing" >/dev/null && html "$work/nothing/report.html" &&
	grep -q 'no activity of the ranks was recorded' "$work/nothing/report.html"
check $? "a run without events has a page that says so"

"$tacho" report -o "$work/elsewhere.html" "$work/run1/tacho.db" >/dev/null &&
	html "$work/elsewhere.html" && [ -d "$work/elsewhere" ]
check $? "a database file is a run too, and -o says where the page goes"

make_run big 64 1000 8 train
"$tacho" report "$work/big" >/dev/null && html "$work/big/report.html" &&
	[ "$(wc -c <"$work/big/report.html")" -lt 5000000 ]
check $? "64 ranks of 1000 steps make a page below 5 MB"

make_run causes 2 40 1 train
sqlite3 "$work/causes/tacho.db" "insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values
	(1, 1, 'sleep', '0', 1, 'validate() at train.py:17', 5, 7, 39, 4e9, 4.5e9, 3.5e9),
	(1, 2, 'wait', '0,1', 2, null, 39, 1, 39, 2e9, 2.5e9, 2e9), (1, 3, 'more_outside', '1', 1, null, 0, -1, -1, 1e9, 5e8, 1e9)"
"$tacho" report "$work/causes" >/dev/null && html --text "$work/causes/report.html" >"$work/text"
grep -q 'sleep of rank 0' "$work/text" && grep -q 'after the last' "$work/text" && ! grep -q -- '-1 to -1' "$work/text" && grep -q 'validate() at train.py:17' "$work/text" && grep -q '4.50 s' "$work/text" &&
	{ ! command -v gnuplot >/dev/null 2>&1 || grep -q 'id="ladder"' "$work/causes/report.html" && [ -s "$work/causes/report/ladder.svg" ]; }
check $? "the ladder: what the steps take without each cause, as a picture and a table"
