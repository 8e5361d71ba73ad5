#!/bin/sh
# Random programs against a simulator that shares nothing with the analyzer. TACHO_RANDOM=N takes N programs
# instead of those that fit a few seconds, TACHO_RANDOM_FIRST the first seed.
n=${TACHO_RANDOM:-150}
first=${TACHO_RANDOM_FIRST:-1}
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP no python3 to generate programs with"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/cases"
echo 1..3
python3 "$top_srcdir/tests/device_random.py" "$dir/cases" "$first" $((first + n - 1)) 2>"$dir/err"
made=$(find "$dir/cases" -name '*.case' | wc -l)
if [ "$made" -eq "$n" ]; then echo "ok 1 - $n programs are simulated"; else echo "not ok 1 - $made of $n programs are simulated"; sed 's/^/# /' "$dir/err"; fi
"$top_builddir/tests/unit/golden" "$top_builddir/analyzer/tacho" "$dir" "$dir"/cases/*.case >"$dir/out" 2>"$dir/err"
passed=$(grep -c '^ok' "$dir/out")
if [ "$passed" -eq "$n" ]; then
	echo "ok 2 - the analyzer finds what the simulator did, in all of them"
else
	echo "not ok 2 - the analyzer finds what the simulator did in $passed of $n"
	grep '^#\|^not' "$dir/out" | head -n 40
fi

# A fifth of them as summaries: what the devices did is the same, but for the parts of NCCL. Who waited for whom is
# not in a summary.
states() {
	sqlite3 "$1" "select device_id, case when state like 'nccl%' then 'nccl' else state end as s, sum(ns) from device_time
		where window = 'run' group by 1, 2; select * from host_time; select * from metric where model in ('device', 'host') and name not like 'waited_ranks%' and name <> 'waited_in'"
}
differ=0 compared=0
for case in "$dir"/cases/*[05].case; do
	[ -e "$case" ] || continue
	rm -rf "$dir/one" && mkdir "$dir/one"
	"$top_builddir/tests/unit/golden" "$top_builddir/analyzer/tacho" "$dir/one" write "$case" >/dev/null
	for mode in "" --summary; do
		# shellcheck disable=SC2086 # none or one
		timeout 60 "$top_builddir/analyzer/tacho" -q analyze -j 1 $mode --launch-latency 5ns --db "$dir/one/db$mode" \
			"$dir/one/traces.otf2" 2>>"$dir/one/err"
		states "$dir/one/db$mode" >"$dir/one/states$mode"
	done
	compared=$((compared + 1))
	[ -s "$dir/one/states" ] && cmp -s "$dir/one/states" "$dir/one/states--summary" && continue
	differ=$((differ + 1))
	echo "# $(basename "$case")"
done
if [ "$differ" -eq 0 ] && [ "$compared" -gt 0 ]; then
	echo "ok 3 - summaries say the same of $compared of them"
else
	echo "not ok 3 - summaries say something else of $differ of $compared"
fi
