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
echo 1..2
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
