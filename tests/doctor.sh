#!/bin/sh
# tacho doctor on one node: what it measures is there, what it makes is gone, and what is wrong is one sentence.
. "$top_srcdir/tests/report_common.sh"
needs python3 sqlite3 taskset
plan 19
cd "$work" || exit 1
mkdir one two
value() { python3 -c "import json; d = json.load(open('said')); n = d['nodes']; print($1)"; }
"$tacho" doctor --brief --format json one two >said 2>complained || sed 's/^/# /' complained
[ "$(value 'd["ranks"], len(n), n[0]["memory_triad"] > 0, [n[0]["storage_" + x][f] > 0 for x in ("write", "read", "opens") for f in ("one", "two")].count(True), n[0]["link"], d["all_reduce"]')" = \
	"1 1 True 6 None []" ] || { sed 's/^/# /' said; false; }
check $? "memory and storage are measured, and no network that is not there"
[ "$(value '"gemm" in n[0] and (n[0]["gemm"] or 0) > 0 or n[0]["how"]["gemm"] == "no OpenBLAS is installed"')" = True ]
check $? "matrix products are, or it is said why not"
[ "$(value 'n[0]["host"], n[0]["settings"]["kernel"], n[0]["settings"]["nofile"]')" = "$(uname -n) $(uname -r) $(ulimit -n)" ] && [ -z "$(find one two -mindepth 1)" ]
check $? "settings are those of the node, and its folders are empty again"
(ulimit -n 256; "$tacho" doctor --brief --gate one) >said 2>complained
[ $? -eq 3 ] && grep -q '^! .*: 256 files may be open in a process, and loaders' said && grep -q "$(uname -n)" said || { sed 's/^/# /' said; false; }
check $? "few open files are trouble, with what to do, and the gate fails"
"$tacho" doctor nowhere >said 2>complained
[ $? -eq 1 ] && [ "$(cat complained)" = "tacho: nowhere is not a folder here: name folders to measure storage in" ] && [ ! -s said ]
check $? "a folder that is not there is one sentence"
if [ "$(id -u)" != 0 ]; then
	chmod 500 two && "$tacho" doctor --brief two >said 2>complained && grep -q '^! .*: two cannot be written: Permission denied' said
else
	ln -s /proc/self three && "$tacho" doctor --brief three >said 2>complained && grep -q '^! .*: three cannot be written: ' said
fi
check $? "one that cannot be written is trouble of the node"

host=$(uname -n)
# Four programs compete for the core of the measurement: it has a fifth of its time.
core=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
busy=
for i in 1 2 3 4; do
	taskset -c "$core" timeout 120 sh -c 'while :; do :; done' &
	busy="$busy $!"
done
taskset -c "$core" "$tacho" doctor --brief --gate >said 2>complained
status=$?
taskset -c "$core" "$tacho" doctor --brief --format json >json 2>>complained
kill $busy && wait $busy 2>/dev/null
[ $status -eq 1 ] && grep -q '^? .*: other programs or a quota took [5-9][0-9] % of the CPU time' said && ! grep -q 'no trouble was found' said &&
	python3 -c 'import json; d = json.load(open("json")); assert 0.5 < d["nodes"][0]["lacked_cores"] < 1 and len(d["undecided"]) == 1, d' || { echo "# status $status"; sed 's/^/# /' said complained; false; }
check $? "a node that lacked cores is undecided, with status 1, not without trouble"
# The history of this node: its usual memory bandwidth is a thousand times as high.
"$tacho" doctor --brief --history nodes.db >said 2>complained && ! grep -q 'of the usual' said && sqlite3 nodes.db "
	update doctor set lacked = 0, value = 1000 * value where figure = 'memory_triad'; update doctor set lacked = 0, value = value / 1000 where figure <> 'memory_triad';
	insert into doctor(host, measured, brief, figure, folder, value, unit, lacked) select host, measured, brief, figure, folder, value, unit, 0 from doctor, (values (1), (2));
	insert into doctor(host, measured, brief, figure, folder, value, unit, lacked) select host, measured, brief, figure, folder, 1e12, unit, 0.5 from doctor, (values (1), (2), (3), (4), (5));"
"$tacho" doctor --brief --gate --history nodes.db >said 2>complained
status=$?
tr '\n' ' ' <said | sed 's/   */ /g' >flat
[ $status -eq 3 ] || [ $status -eq 1 ] && grep -q "[!?] $host: memory bandwidth: 0.0[0-9]* of the usual [0-9.e+]* GB/s (median of 3 measurements): check" flat &&
	[ "$(grep -o 'of the usual' flat | wc -l)" -eq 1 ] || { echo "# status $status"; sed 's/^/# /' said complained; false; }
check $? "a figure below what the node usually has is named, and measurements that lacked cores are not usual"
"$tacho" doctor --brief --history nowhere/nodes.db >said 2>complained; [ $? -ne 0 ] && [ "$(wc -l <complained)" -eq 1 ] && grep -q nowhere complained &&
	{ echo text that is no database >text.db; "$tacho" doctor --brief --history text.db >said 2>complained; [ $? -eq 1 ]; } && grep -q 'cannot keep the measurements in text.db' complained && [ "$(cat text.db)" = "text that is no database" ]
check $? "a file that cannot be one is one sentence"

# What a site expects of the node: a thousandth of the memory bandwidth that it has, a million times its storage, and nothing of others.
cat >site.conf <<END
# machines of the site
[other]
host = nowhere-*
memory_triad = 1e9
[own kind]
host = $host
memory_triad = 0.001 GB/s
storage_write = 1e12 MB/s
all_reduce 1M = 100 Gb/s
END
"$tacho" doctor --brief --gate --expect site.conf one >said 2>complained
status=$?
tr '\n' ' ' <said | sed 's/   */ /g' >flat
[ $status -eq 3 ] || [ $status -eq 1 ] && grep -q "[!?] $host: writing in one: [0-9.e-]* of the expected 1e+12 MB/s (own kind): check" flat && grep -qE "^ *$host +memory bandwidth .* 0.001 GB/s .* own kind" said &&
	[ "$(grep -o 'of the expected' flat | wc -l)" -eq 1 ] || { echo "# status $status"; sed 's/^/# /' said complained; false; }
check $? "figures are shown beside what the site expects of the kind of machine, and the low one is named"
"$tacho" doctor --brief --format json --expect site.conf one >said 2>complained
[ "$(value 'n[0]["machine"], n[0]["expected"]')" = "own kind {'memory_triad': 0.001, 'storage_write': 1000000000000}" ] && cp said expected.json &&
	"$tacho" -q record --all --roofs expected.json -o expected -- dd if=/dev/zero of=big bs=65536 count=32 2>/dev/null &&
	"$tacho" stats expected environment --format csv | grep -q 'expected.storage_write_gbps,8e+09' && grep -q 'Roof of expected' expected/report.html || { sed 's/^/# /' said complained; false; }
check $? "JSON and the report of a run have it"
bad=0
# bad_file WORDS LINE...: these lines are one sentence with these words, and nothing is measured
bad_file() {
	words=$1
	shift
	printf '%s\n' "$@" >bad.conf
	"$tacho" doctor --brief --expect bad.conf >said 2>complained && bad=1
	[ ! -s said ] && [ "$(wc -l <complained)" -eq 1 ] && grep -qF "$words" complained || { echo "# $words"; sed 's/^/# /' said complained; bad=1; }
}
bad_file "bad.conf, line 2: 'speed' is none of host, cpu, gpu" '[a]' 'speed = 3'
bad_file "bad.conf, line 2: memory_triad is in GB/s, not in MB/s" '[a]' 'memory_triad = 3 MB/s'
bad_file "bad.conf, line 3: memory_triad is 'fast': expected a number above 0" '[a]' '' 'memory_triad = fast'
bad_file "bad.conf, line 1: expected [NAME] of a kind of machine before the first figure" 'memory_triad = 3'
bad_file "bad.conf, line 2: 'all_reduce big': expected a size like 1M" '[a]' 'all_reduce big = 3'
bad_file "bad.conf, line 1: expected [NAME], or a figure" 'words'
bad_file "bad.conf has no [NAME]" '# nothing'
rm bad.conf && "$tacho" doctor --brief --expect bad.conf >said 2>complained && bad=1
grep -q 'cannot read bad.conf' complained && [ $bad -eq 0 ]
check $? "a file that is wrong is one sentence"

# What was measured as the roofs of a run: 1 and 2 GB/s of two folders are 16 Gb/s.
host=$(uname -n)
printf '{"nodes": [{"host": "%s", "link": 10, "storage_write": {"one": 1000, "two": 2000}, "storage_read": {}, "gemm_gpu": 600}, {"host": "other", "link": 5}]}\n' "$host" >roofs.json
"$tacho" -q record --all --roofs roofs.json -o run -- dd if=/dev/zero of=big bs=65536 count=32 2>/dev/null && "$tacho" stats --format json run roofs >said &&
	python3 - "$host" <<'P'
import json, sys
rows = [r for r in json.load(open("said")) if r["what"] == "storage write" and r["source"] == "calls"]
assert len(rows) == 1 and rows[0]["node"] == sys.argv[1] and rows[0]["roof_gbps"] == 16, rows
assert abs(rows[0]["mean_%"] - 100 * rows[0]["mean_gbps"] / 16) < 0.06, rows
P
check $? "its figures are roofs of a run on these nodes, storage by the best folder"
"$tacho" report -s run | tr '\n' ' ' >said && "$tacho" stats run environment --format csv | grep -q 'roof.gpu_gemm_gflops,600000' &&
	grep -q 'storage write [0-9.]* Gb/s ([0-9.]* % of the roof, peak ' said && grep -q 'Rates as shares of what tacho doctor measured' run/report.html ||
	{ sed 's/^/# /' said; "$tacho" stats run environment --format csv | grep roof | sed 's/^/# /'; false; }
check $? "which the summary, the page and the environment say"
sed 's/2000/4000/' roofs.json >other.json
"$tacho" -q analyze --roofs other.json run && "$tacho" stats --format csv run roofs | grep -q 'storage write,calls,.*,32' && "$tacho" -q analyze run && "$tacho" stats --format csv run roofs | grep -q 'storage write,calls,.*,16'
check $? "other roofs can be given to an analysis, and those of the recording are kept"
"$tacho" -q record --all --roofs roofs.json -o live -- sh -c 'dd if=/dev/zero of=big bs=65536 count=32 2>/dev/null; LD_PRELOAD= "$0" -q snapshot live -o snap >&2' "$tacho" 2>complained &&
	"$tacho" stats --format csv snap roofs | grep -q 'storage write,calls,.*,16' || { sed 's/^/# /' complained; false; }
check $? "and they are those of a snapshot of the run, too"
echo '{"nodes": 3}' >wrong.json
for file in wrong.json nowhere.json; do
	"$tacho" analyze --roofs $file run >said 2>complained
	[ $? -eq 1 ] && [ "$(wc -l <complained)" -eq 1 ] && grep -q "$file" complained || break
done
check $? "a file that is none of doctor's is one sentence"
standin=$top_builddir/tests/standin/cuda13
if [ -e "$standin/libnvidia-ml.so.1" ]; then
	LD_LIBRARY_PATH=$standin STANDIN_THROTTLE=64 "$tacho" doctor --brief >said 2>complained
	[ $? -eq 0 ] && grep -q '^! .*: GPU 0 is slowed down to [0-9]* MHz by its hardware, as it is hot' said || { sed 's/^/# /' said complained; false; }
	check $? "a GPU that is slowed down is trouble (stand-in for NVML)"
	LD_LIBRARY_PATH=$standin "$tacho" doctor --brief --format json >said 2>complained && [ "$(value 'min(n[0]["copy_to_gpu"], n[0]["copy_from_gpu"], n[0]["copy_pageable"], n[0]["gemm_gpu"]) > 0, n[0]["settings"]["gpus"][:1] > "0"')" = "True True" ] &&
		[ "$(value '["emulated GPU" in n[0]["how"][x] for x in ("copy_to_gpu", "gemm_gpu")]')" = "[True, True]" ] ||
		{ sed 's/^/# /' said complained; false; }
	check $? "copies to GPUs and from them are measured, and their matrix products, of emulated ones (stand-ins)"
else
	skip "the stand-in for NVML is not built"
	skip "the stand-in for CUDA is not built"
fi
