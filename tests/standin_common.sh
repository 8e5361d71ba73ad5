# For tests/standin_*.sh: where the stand-ins are, and running programs on them.
set -u
export LC_ALL=C.UTF-8
standin=$top_builddir/tests/standin
number=0

# ok RESULT NAME: a line of TAP; RESULT is 0 or not.
ok() {
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

# need FILE…: the whole test is skipped without them.
need() {
	for file in "$@"; do
		[ -e "$file" ] && continue
		echo "1..0 # SKIP no $(basename "$file"): stand-ins need the headers (programs: nvcc) of CUDA 13.0"
		exit 0
	done
}

# on VERSION COMMAND…: with the stand-ins of CUDA 12 or 13 in place of the real libraries.
on() {
	version=$1
	shift
	env LD_LIBRARY_PATH="$standin/cuda$version" timeout 400 "$@"
}

# traced VERSION COMMAND…: the same, under the CUPTI client.
traced() {
	version=$1
	shift
	env LD_LIBRARY_PATH="$standin/cuda$version" CUDA_INJECTION64_PATH="$standin/client$version.so" timeout 400 "$@"
}

# seen NAME FILE: the number that the client counted. expected NAME FILE: what the program did.
seen() { sed -n "s/^seen $1 //p" "$2"; }
expected() { sed -n "s/^expect $1 //p" "$2"; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
