#!/bin/sh
# Each folder of analyzer/ calls and includes only what stands before it in analyzer/floors.txt. No files and no
# folders of analyzer/ and collector/, at any depth, call each other in a circle. A struct's name means one thing.
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

echo 1..8
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

# several FILE…: names of structs that several files define. Of an archive and of spools: location, process.
several() {
	find "$source/analyzer" "$source/collector" "$source/include" "$@" -name '*.[ch]' | LC_ALL=C sort | xargs awk '
		match($0, /^\t*(static |const )*struct [a-z_0-9]+ \{/) {
			name = substr($0, RSTART, RLENGTH - 2)
			sub(/.* /, "", name)
			file = FILENAME
			sub(/.*\/(analyzer|collector|include)\//, "", file)
			if (index(files[name] " ", " " file " ") == 0)
				files[name] = files[name] " " file
		}
		END {
			for (name in files)
				if (split(files[name], one, " ") > 1 && name != "location" && name != "process")
					print "struct " name ":" files[name]
		}'
}
echo 'struct span {' >"$dir/planted.h"
{
	several
	several "$dir" | grep -q '^struct span:.*core/span.h' || echo "not found: struct span"
} | result 4 "a struct's name means one thing"

if ! command -v nm >/dev/null; then
	for n in 5 6 7 8; do
		echo "ok $n # SKIP no nm"
	done
	exit
fi
circles collector | result 5 "no files or folders of the collector call each other in a circle"
circles analyzer | result 6 "nor do those of the analyzer, at any depth"
planted collector core/clock io/io | result 7 "a call from core to io is found"
planted analyzer merge/clock/clock_ticks merge/merge_model | result 8 "and one from a folder of a folder up"
