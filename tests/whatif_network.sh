#!/bin/sh
# tacho whatif --bandwidth, --latency, --cpu: programs of many kinds, replayed on a network that is twice as fast, against a
# simulator that shares nothing with the analyzer. Programs that poll are left out: what a poll takes is no network's.
tacho=$top_builddir/analyzer/tacho
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3 to generate programs with"; exit 0; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/cases"
python3 "$top_srcdir/tests/replay_random.py" "$dir/cases" 1 1 || exit 1
rm -f "$dir"/cases/*probe* "$dir"/cases/*test* "$dir"/cases/*polls* "$dir"/cases/workers*
n=0
ok() {
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}

# whatif KIND OPTION…: run time in ns
whatif() {
	kind=$1
	shift
	"$tacho" whatif "$dir/$kind/traces.otf2" --format csv "$@" | sed -n '2s/^[^,]*,\([^,]*\),.*/\1/p' | awk '{ printf "%.0f", 1e9 * $1 }'
}

# near A B: within 1 %
near() {
	awk -v a="${1:-0}" -v b="$2" 'BEGIN { exit !(a >= 0.99 * b && a <= 1.01 * b) }'
}

for case in "$dir"/cases/*.case; do
	kind=$(basename "$case" .case)
	mkdir "$dir/$kind"
	"$top_builddir/tests/unit/golden" "$tacho" "$dir/$kind" write "$case" >/dev/null 2>&1 &&
		"$tacho" -q analyze "$dir/$kind/traces.otf2"
	read -r fast both <"$dir/cases/$kind.fast"
	is=$(whatif "$kind" --bandwidth 2x --latency 0.5x)
	near "$is" "$fast"
	ok $? "$kind: $is ns, simulated $fast"
	is=$(whatif "$kind" --bandwidth 2x --latency 0.5x --cpu 2x)
	near "$is" "$both"
	ok $? "$kind: on processors that are twice as fast, too, $is ns, simulated $both"
done
elapsed=$(sed -n 's/^elapsed //p' "$dir/cases/pingpong_1.case")
near "$(whatif pingpong_1 --bandwidth 1x)" "$elapsed"
ok $? "the network as it is gives the run time as it is"
"$tacho" whatif "$dir/pingpong_1/traces.otf2" --bandwidth 2x --storage 2x >"$dir/said" 2>&1
[ $? = 2 ] && grep -q 'without --without, --rank and --storage' "$dir/said"
ok $? "questions about the network and about storage are asked apart"
echo "1..$n"
