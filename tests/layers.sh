#!/bin/sh
# Each folder of analyzer/ calls and includes only what stands before it in analyzer/floors.txt. No files and no
# folders of analyzer/ and collector/, at any depth, call each other in a circle.
objects=$(cd "$top_builddir" && pwd)/analyzer
source=$(cd "$top_srcdir" && pwd)
cd "$top_srcdir/analyzer" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# result N WHAT: passes if there is nothing on standard input.
result() {
	bad=$(cat)
	[ -z "$bad" ] && echo "ok $1 - $2" || { echo "not ok $1 - $2"; echo "$bad" | sed 's/^/# /'; }
}

# upward: of "FOLDER LOWEST WHAT" those lines whose second folder is above the first.
upward() {
	awk 'NR == FNR { floor[$1] = NR; next }
		floor[$2] > floor[$1] { print $1 " is below " $2 ": " substr($0, length($1 $2) + 3) }' "$dir/floors" -
}

# circles PART [FROM TO]: the cycles of a part, with an arrow more.
circles() {
	part=$1
	shift
	python3 "$source/tests/layers.py" "$source" "$objects/../$part" "$part" "$@"
}

# planted PART FROM TO: the cycle that the arrow closes.
planted() {
	circles "$@" | grep "^$1 files .*$2 .*$3\|^$1 files .*$3 .*$2" >/dev/null || echo "not found: $*"
}

echo 1..7
grep -v '^#' floors.txt | awk '{ print $1 }' >"$dir/floors"
sort "$dir/floors" >"$dir/sorted"
for folder in *; do
	[ -d "$folder" ] && echo "$folder"
done | sort | diff - "$dir/sorted" |
	result 1 "floors.txt has the folders of analyzer/"

# A folder's objects are a library; those of the program itself lie there one by one.
while read -r folder; do
	set -- "$objects/$folder"/lib*.a
	[ -f "$1" ] || set -- "$objects/$folder"/*.o
	nm -A -P "$@" | awk -v folder="$folder" '$3 ~ /^[UTDBRVWC]$/ {
		sub(/:$/, "", $1)
		sub(/.*[-\/[]/, "", $1)
		sub(/\]$/, "", $1)
		print folder, $3, $2, $1
	}'
done <"$dir/floors" >"$dir/symbols"
if ! command -v nm >/dev/null; then
	echo "ok 2 # SKIP no nm"
else
	# The lowest folder that defines it counts.
	awk '$2 != "U" { if (!($3 in home)) home[$3] = $1; next } { used[++n] = $0 }
		END {
			if (!n)
				print "base cli nm finds no symbol"
			for (i = 1; i <= n; i++) {
				split(used[i], at, " ")
				if (at[3] in home)
					print at[1], home[at[3]], at[4] " uses " at[3]
			}
		}' "$dir/symbols" | upward | sort -u | result 2 "none uses a symbol of a folder above it"
fi

grep -rnE --include='*.c' --include='*.h' --include='*.def' '^[ 	]*#[ 	]*include[ 	]*"' . | sed -n \
	's|^\./\([a-z0-9_]*\)/\([^:]*\):[0-9]*:[^"]*"\([a-z0-9_]*\)/\([^"]*\)".*|\1 \3 \1/\2 includes \3/\4|p' |
	upward | result 3 "and none includes a header of one"

if ! command -v nm >/dev/null; then
	for n in 4 5 6 7; do
		echo "ok $n # SKIP no nm"
	done
	exit
fi
circles collector | result 4 "no files or folders of the collector call each other in a circle"
circles analyzer | result 5 "nor do those of the analyzer, at any depth"
planted collector core/clock io/io | result 6 "a call from core to io is found"
planted analyzer merge/clock/clock_ticks merge/merge_model | result 7 "and one from a folder of a folder up"
