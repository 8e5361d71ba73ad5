# Shared by the collector's tests: sourced, not run.
lib=$top_builddir/collector/.libs/libtacho.so
load=$top_builddir/tests/unit/collector_load
dump=$top_builddir/tests/unit/spool_dump
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=0

# ok DESCRIPTION COMMAND...: passes when the command does.
ok()
{
	count=$((count + 1))
	description=$1
	shift
	if "$@" >"$tmp/ok.out" 2>&1; then
		echo "ok $count - $description"
	else
		echo "not ok $count - $description"
		sed 's/^/# /' "$tmp/ok.out" | head -40
	fi
}

skip()
{
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# record RUN COMMAND...: runs it as rank 0 of 1 with the library.
record()
{
	run=$1
	shift
	env LD_PRELOAD="$lib" TACHO_DIR="$run" RANK=0 WORLD_SIZE=1 timeout 400 "$@"
}

# lines RUN PATTERN: how often it stands in the dump of all processes.
lines()
{
	"$dump" "$1"/spool/* | grep -Ec -- "$2"
}

# same A B: says what differs.
same()
{
	test "$1" = "$2" || { echo "found $1, expected $2"; false; }
}

# processes RUN: how many are recorded, in a folder or in a slot of another's
processes()
{
	lines "$1" '^process '
}
