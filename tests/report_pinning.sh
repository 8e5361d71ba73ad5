#!/bin/sh
# Where CPUs and memory lie is recorded as /sys and hwloc have it, and a rank's binding is held against it.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 taskset
plan 4
cd "$work" || exit 1
one() { sqlite3 run/tacho.db "select value from environment where scope like 'node:%' and key = '$1'"; }
first=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')
env -u TACHO_DATADIR "$tacho" -q record -o run -- taskset -c "$first" "$top_builddir/examples/trainer/tacho-trainer" --quiet \
	--steps 2 --train-samples 256 --validate-samples 64 --test-samples 64 --model mlp >out 2>&1 || sed 's/^/# /' out
ok=0 n=0
for node in /sys/devices/system/node/node[0-9]*; do
	[ -s "$node/cpulist" ] || continue
	n=$((n + 1))
	[ "$(one "numa.${node##*/node}")" = "$(cat "$node/cpulist")" ] || ok=1
done
if [ $n -gt 0 ]; then check $ok "NUMA nodes are recorded with their CPUs"; else skip "no NUMA nodes in /sys"; fi
if command -v hwloc-calc >/dev/null 2>&1 && [ $n -gt 0 ] && [ "$(hwloc-calc --number-of numanode all 2>/dev/null)" = "$n" ]; then
	python3 - "$(one numa.0)" "$(hwloc-calc --physical-output --intersect pu numanode:0)" <<'P'
import sys
def cpus(text):
    out = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        out |= set(range(int(first), int(last or first) + 1))
    return out
assert cpus(sys.argv[1]) == cpus(sys.argv[2]), sys.argv
P
	check $? "hwloc sees the same"
else
	skip "hwloc-calc is not installed, or sees other NUMA nodes"
fi
if grep -q '^#define HAVE_HWLOC 1' "$top_builddir/config.h" && command -v hwloc-calc >/dev/null 2>&1; then
	one topology | grep -q "$(hwloc-calc --number-of core all) core.*$(hwloc-calc --number-of pu all) CPU"
	check $? "packages, cores and caches are reported by hwloc"
else
	skip "built without hwloc, or hwloc-calc is not installed"
fi
"$tacho" report run >/dev/null && grep -q "^rank 0,[^,]*,$first," run/report/pinning.csv && [ -s run/report/pinning_map.csv ]
check $? "the report maps the rank to the CPU it was bound to"
