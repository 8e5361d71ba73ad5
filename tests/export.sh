#!/bin/sh
# tacho export: JSON that Perfetto and Chrome open without overlaps, CSV that gives the database back.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 30
check_file() { python3 "$top_srcdir/tests/export_check.py" "$@"; }
cd "$work" || exit 1
write_case() { mkdir "$1" && "$top_builddir/tests/unit/golden" "$tacho" "$1" write "$2" >/dev/null; }
write_case ring "$top_srcdir/tests/golden/cases/v03_serialised_pipeline.case"
write_case crossing "$top_srcdir/tests/export_crossing.case"
write_case device "$top_srcdir/tests/golden/cases/v15_nccl_exposed_straggler.case"
for kind in names metrics records; do
	mkdir $kind && "$top_builddir/tests/unit/archive_make" $kind $kind
done

"$tacho" export ring/traces.otf2 --perfetto ring.json && check_file json ring.json >said
check $? "an archive becomes JSON whose slices nest"
enters=$("$tacho" dump ring/traces.otf2 | grep -c ' enter ') recvs=$("$tacho" dump ring/traces.otf2 | grep -c ' recv ')
grep -qx "slices $enters async 0 arrows $recvs loose 0 counters 0" said
check $? "each region is a slice and each message an arrow"
bytes() { "$tacho" dump ring/traces.otf2 | grep " $1 " | sed 's/.*bytes=//' | paste -sd+ | sed 's/^$/0/' | bc; }
grep -q "^sent $(bytes send) received $(bytes recv) " said && python3 - <<'END'
import json
ends = [e for e in json.load(open("ring.json"))["traceEvents"] if e["ph"] == "E" and e["name"] == "MPI_Send"]
assert [(e["args"]["peer"], e["args"]["communicator"], e["args"]["tag"]) for e in ends] == \
    [(e["pid"], "MPI_COMM_WORLD", e["pid"] - 1) for e in ends], ends
END
check $? "calls of MPI have bytes, peer, tag and communicator"
"$tacho" export crossing/traces.otf2 --perfetto crossing.json && check_file json crossing.json >said &&
	[ "$(grep -c '"name":"GPU 0 · stream 0 (2)"' crossing.json)" -eq 1 ] && grep -q 'slices .* arrows 2 loose 0' said
check $? "activities that cross have a lane of their own, a launch an arrow to its kernel"
"$tacho" export device/traces.otf2 --perfetto device.json && check_file json device.json >/dev/null &&
	grep -q '"cat":"device","name":"ncclDevKernel_AllReduce","args":{.*"tacho.op":"allreduce"' device.json
check $? "what an activity carries are its arguments"
write_case seen "$top_srcdir/tests/golden/cases/gpus_seen_by_all.case" && "$tacho" export seen/traces.otf2 --perfetto seen.json &&
	grep '"process_name"' seen.json | grep -o '"name":"[^"]* [01]:[01] *"' | tr -d '\n' >said && grep -q '0:0 ".* 1:1 "' said
check $? "a GPU that all see is named by whose it is"
# Arrows over the members of collectives begin with the first member and end with the last, as the database has them.
ok=0
for name in found_backward_reduced inter_communicator nccl_algorithms rooted_and_scan skewed_device straggler_device v15_nccl_exposed_straggler; do
	write_case $name "$top_srcdir/tests/golden/cases/$name.case" && "$tacho" -q analyze --db $name.db $name/traces.otf2 2>/dev/null &&
		"$tacho" export $name/traces.otf2 --perfetto $name.json && check_file json $name.json >/dev/null &&
		check_file collectives $name.json $name.db >said || { echo "# $name"; ok=1; }
done
check $ok "collectives are arrows from the first member to the last, of MPI, torch.distributed and NCCL"
if command -v mpicc >/dev/null && command -v mpirun >/dev/null &&
	mpicc -I"$top_srcdir/include" -I"$top_srcdir/tests/e2e" -o collectives "$top_srcdir/tests/e2e/mpi_collectives.c" 2>/dev/null; then
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 200 "$tacho" -q record -o mpi -- \
		mpirun --oversubscribe -n 3 ./collectives >/dev/null 2>&1
	"$tacho" export mpi --perfetto mpi.json && check_file json mpi.json >/dev/null && check_file collectives mpi.json mpi/tacho.db >said &&
		[ "$(sed 's/collectives //' said)" -gt 50 ]
	check $? "so are all that MPI has, also those that do not block"
else
	skip "there is no compiler for MPI"
fi
mkdir -p marked/trace && write_case steps "$top_srcdir/tests/golden/cases/found_steps_launches.case" && mv steps/traces* marked/trace &&
	"$tacho" -q analyze marked && "$tacho" export marked --perfetto steps.json && check_file json steps.json | grep -q ' marks 23$' &&
	"$tacho" export marked --perfetto step.json --step 7 && grep -o '"name":"step [0-9]*"' step.json | grep -qx '"name":"step 7"'
check $? "steps that the analysis found are marks on the tracks of their rank"
"$tacho" export metrics/traces.otf2 --perfetto metrics.json && check_file json metrics.json | grep -q 'counters 5' &&
	grep -q '"name":"temperature","args":{"value":' metrics.json
check $? "counters are tracks"
[ "$(grep -c '"name":"PAPI_TOT_INS per second","args":{"value":1000000000}' metrics.json)" -eq 2 ] # 400 in 400 ns, twice
check $? "a counter that grows is a rate"
ok=0
for kind in names records; do
	"$tacho" export $kind/traces.otf2 --perfetto $kind.json 2>/dev/null && check_file json $kind.json >/dev/null || ok=1
done
! LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f]' names.json && [ "$(wc -l <names.json)" -eq "$(grep -c '"ph"' names.json | awk '{ print $1 + 2 }')" ]
check $((ok + $?)) "hostile names stay in their strings"

if command -v chromium >/dev/null 2>&1; then
	python3 "$top_srcdir/tests/export_chrome.py" ring.json crossing.json device.json names.json >said 2>&1
	status=$?
	sed 's/^/# /' said
	if [ $status -eq 77 ]; then
		skip "this Chromium has no reader of traces"
	else
		[ $status -eq 0 ]
		check $? "Chrome's developer tools read every slice of every track"
	fi
else
	skip "chromium is not installed"
fi

"$tacho" analyze -q crossing/traces.otf2 2>/dev/null || "$tacho" -q analyze crossing/traces.otf2
"$tacho" export crossing/traces.otf2 --step 1 --ranks 0 --perfetto - >step.json && check_file json step.json | grep -q '^slices 3 ' &&
	! grep -q '"ts":0\.0[0-5]' step.json && ! grep -q '"pid":2,.*"ph":"B"' step.json
check $? "a step of some ranks is cut out, with what was open at its start"
"$tacho" export crossing/traces.otf2 --ranks 1 --perfetto one.json && check_file json one.json >/dev/null &&
	[ "$(grep -c '"process_name"' one.json)" -eq 1 ] && grep '"process_name"' one.json | grep -q 'rank 1'
check $? "ranks that were not asked for have no tracks, nor have their GPUs"
write_case quiet "$top_srcdir/tests/golden/cases/gpus_seen_by_all.case" && "$tacho" export quiet/traces.otf2 --perfetto quiet.json &&
	python3 -c 'import json; e = json.load(open("quiet.json"))["traceEvents"]
named = {(x["pid"], x["tid"]) for x in e if x["name"] == "thread_name"}
assert named == {(x["pid"], x["tid"]) for x in e if x["ph"] in "BX"}, named'
check $? "a track without events is left out"
"$tacho" export crossing/traces.otf2 --from 22ns --to 45ns --perfetto part.json && check_file json part.json >/dev/null &&
	python3 -c 'import json; e = json.load(open("part.json"))["traceEvents"]
assert {x["ts"] for x in e if x["ph"] in "BEX"} <= {t / 1000 for t in range(22, 46)}
assert [x for x in e if x["ph"] == "B" and x["ts"] == 0.022 and x["name"] == "MPI_Send"]
assert [x for x in e if x["ph"] == "X" and x["name"] == "A" and abs(x["dur"] - 0.010) < 1e-9]'
check $? "--from and --to clip what reaches beyond"

make_run run1 4 20 2 train gpu hostile
cp -r ring run2 && mkdir -p run2/trace && mv run2/traces* run2/trace && cp run1/tacho.db run2/tacho.db
"$tacho" export run2 --perfetto found.json && check_file json found.json | grep -q " findings $(sqlite3 run1/tacho.db 'select count(*) from finding')$" &&
	[ "$(sqlite3 run1/tacho.db 'select count(*) from finding')" -gt 0 ]
check $? "findings of the database are marks in the trace"
sqlite3 run2/tacho.db "delete from python_sample; delete from python_frame;
	insert into python_frame (id, run_id, caller_id, function, file, line) select 1, id, NULL, '<module>', '/a/train.py', 3 from run
		union all select 2, id, 1, 'main;x', '/a/train.py', 9 from run union all select 3, id, 2, 'load', '/a/data.py', NULL from run;
	insert into python_sample (run_id, process_id, frame_id, state, call, samples, ns) select run_id, id, 3, 'io', 'read', 5, 1000 * (rank + 1)
		from process where rank < 2 union all select run_id, id, 2, 'computing', NULL, 5, 7000 from process where rank = 0"
"$tacho" export run2 --folded stacks.txt && [ "$(cat stacks.txt)" = "rank 0;<module> (train.py:3);main,x (train.py:9) 7
rank 0;<module> (train.py:3);main,x (train.py:9);load (data.py);read 1
rank 1;<module> (train.py:3);main,x (train.py:9);load (data.py);read 2" ] && "$tacho" export run2 --folded - | cmp -s - stacks.txt
check $? "stacks become lines for flame graphs"
flames=$(PATH=$PATH:/usr/share/perl5/Devel/NYTProf command -v flamegraph.pl)
if [ -n "$flames" ]; then
	perl "$flames" stacks.txt 2>said >flames.svg && [ ! -s said ] && grep -q 'load (data.py) (2 samples, 20' flames.svg
	check $? "flamegraph.pl draws them"
else
	skip "flamegraph.pl (libdevel-nytprof-perl) is not installed"
fi
"$tacho" export run2 --speedscope stacks.json && python3 - <<'END'
import json
found = json.load(open("stacks.json"))
names = [frame["name"] for frame in found["shared"]["frames"]]
profiles = {p["name"]: {tuple(names[i] for i in s): w for s, w in zip(p["samples"], p["weights"])} for p in found["profiles"]}
outer = ("<module> (train.py:3)", "main,x (train.py:9)")
assert profiles["rank 0"] == {outer: 7000, outer + ("load (data.py)",): 1000}, profiles
assert profiles["rank 1"] == {outer + ("load (data.py)",): 2000}, profiles
assert all(p["endValue"] == sum(p["weights"]) and p["type"] == "sampled" for p in found["profiles"])
assert found["profiles"][0]["name"] == "all ranks" and found["profiles"][0]["endValue"] == 10000
END
check $? "speedscope's file has a profile for each rank and one over all"
schema=$(npm root -g 2>/dev/null)/speedscope/dist/release/file-format-schema.json
[ -f "$schema" ] || schema=$SPEEDSCOPE/dist/release/file-format-schema.json
if [ -f "$schema" ] && python3 -c 'import jsonschema' 2>/dev/null; then
	python3 -c 'import json, jsonschema, sys; jsonschema.validate(*(json.load(open(f)) for f in sys.argv[1:]))' stacks.json "$schema" 2>said
	check $? "speedscope's own schema holds"
else
	skip "the npm package speedscope, with the schema, or Python's jsonschema is not installed (SPEEDSCOPE: its folder)"
fi
"$tacho" export run1 --csv csv && check_file csv run1/tacho.db csv
check $? "CSV gives every table and view back, hostile texts, NULL and empty ones included"
"$tacho" export crossing/traces.otf2 --step 7 --perfetto no.json 2>said
[ $? -eq 1 ] && grep -q 'has no step 7' said && [ ! -e no.json ]
check $? "a step that is not there is a sentence"
dd if=/dev/zero of=ring/traces/1.evt bs=64 count=1 conv=notrunc 2>/dev/null
"$tacho" export ring/traces.otf2 --perfetto damaged.json 2>said
[ $? -le 1 ] && grep -q damaged said && check_file json damaged.json >/dev/null
check $? "of a damaged archive what can be read is well-formed"

# What fails leaves nothing behind, and an older file as it was. SIGXFSZ ends the process where it is not ignored.
mkdir full && echo old >full/old.json
limited() { (ulimit -f 2; [ "$1" != ignored ] || trap '' XFSZ; shift; "$tacho" export "$@" 2>said); }
untouched() { [ "$(ls -A full)" = old.json ] && [ "$(cat full/old.json)" = old ]; }
limited ignored ring/traces.otf2 --perfetto full/new.json
[ $? -eq 1 ] && grep -q 'cannot write .*full/new.json' said && untouched
check $? "a trace that cannot be written leaves no file"
ok=0
for file in new old; do
	limited ended ring/traces.otf2 --perfetto full/$file.json
	[ $? -eq 1 ] && [ -s said ] && untouched || ok=1
done
check $ok "one that is ended on its way neither, and no older one is lost"
limited ignored run1 --csv full
[ $? -eq 1 ] && [ "$(grep -c 'cannot write' said)" -eq 1 ] && untouched && ! limited ignored run1 --csv new && [ ! -e new ]
check $? "tables come all or not at all"
ln -s real.json full/link.json && echo older >full/real.json && "$tacho" export ring/traces.otf2 --perfetto full/link.json &&
	[ -L full/link.json ] && check_file json full/real.json >/dev/null &&
	"$tacho" export ring/traces.otf2 --perfetto /dev/null && [ -c /dev/null ]
check $? "links and devices stay what they are"
for arguments in "run1" "run1 --perfetto" "run1 --perfetto x --ranks 3-1" "crossing/traces.otf2 --perfetto x --ranks 7-9" "run1 --perfetto x --from abc" "run1 --perfetto x --from 5s --to 1s" "--csv x" "run1 --csv x --step -1"; do
	"$tacho" export $arguments >/dev/null 2>&1
	[ $? -eq 2 ] || { echo "# $arguments"; false; break; }
done
check $? "wrong arguments are refused"
