# lib.sh - what the end-to-end tests share: TAP lines, a folder that goes away, an MPI that starts
# as root. Sourced; needs top_srcdir and top_builddir.

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe	# the same of Open MPI 5
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
export FREE_PORT="$top_srcdir/tests/e2e/free_port.py"	# says a port that ranks may meet at

tacho=$top_builddir/analyzer/tacho
library=$top_builddir/collector/.libs/libtacho.so
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho e2e.XXXXXX")	# a blank in it, on purpose
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 99

ntests=0
. "$top_srcdir/tests/databases.sh"
e2e_folder=$work	# tests give other values to $work

# ok STATUS TEXT: one TAP line, good when STATUS is 0.
ok() {
	ntests=$((ntests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $ntests - $2"
	else
		echo "not ok $ntests - $2"
	fi
}

# check TEXT COMMAND...: ok when the command succeeds; its output is shown when it does not.
check() {
	text=$1
	shift
	if output=$("$@" 2>&1); then
		ok 0 "$text"
	else
		ok 1 "$text"
		printf '%s\n' "$output" | sed 's/^/# /'
	fi
}

same() {
	[ "$1" = "$2" ] || { echo "expected: $2"; echo "found:    $1"; return 1; }
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# Daemons on other nodes start with an empty environment: what sanitizers need does not get there.
not_sanitized() {
	[ -z "${ASAN_OPTIONS:-}" ] || skip_all "programs with sanitizers cannot run on other nodes"
}

# In each database that was queried, and those still there.
parts_add_up() {
	check "parts add up in each database" databases_hold "$e2e_folder" "$e2e_folder/databases"
}

plan() {
	echo "1..$ntests"
}

# query SQL [RUN]: one value or more from a run's database.
query() {
	database_held "${2:-run}/tacho.db" "$e2e_folder/databases"
	sqlite3 -readonly "${2:-run}/tacho.db" "$1"
}
