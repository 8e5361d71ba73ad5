#!/bin/sh
# Programs of many kinds against a simulator that shares nothing with the analyzer: the time of an ideal network, and
# each rank's time in MPI. TACHO_RANDOM=N takes N programs of each kind, TACHO_RANDOM_FIRST the first seed.
n=${TACHO_RANDOM:-1}
first=${TACHO_RANDOM_FIRST:-1}
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP no python3 to generate programs with"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/cases"
if ! python3 "$top_srcdir/tests/replay_random.py" "$dir/cases" "$first" $((first + n - 1)) 2>"$dir/err"; then
	printf '1..1\nnot ok 1 - programs are simulated\n'
	sed 's/^/# /' "$dir/err"
	exit 1
fi

# In the order of time, and again with turns by chance, of which no figure may depend.
made=$(find "$dir/cases" -name '*.case' | wc -l)
echo "1..$((2 * made))"
golden() {
	mkdir "$1" && "$top_builddir/tests/unit/golden" "$top_builddir/analyzer/tacho" "$1" "$dir"/cases/*.case 2>"$1/err" |
		awk -v from="$2" 'NR > 1 { if (/^(not )?ok /) $(NF > 0 && /^not/ ? 3 : 2) += from; print }'
}
golden "$dir/first" 0
TACHO_SHUFFLE=7 TACHO_AHEAD=16 golden "$dir/again" "$made"
