# What the report's tests share; sourced. $tacho, $work, make_run and the TAP lines.
tacho=$top_builddir/analyzer/tacho
samples=$top_srcdir/tests/report
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TACHO_DATADIR="$top_srcdir"
unset GNUPLOT COLUMNS NO_COLOR
count=0

plan() { echo "1..$1"; }

# check STATUS NAME: one TAP line
check() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

skip() { count=$((count + 1)); echo "ok $count # SKIP $1"; }

skip_all() { echo "1..0 # SKIP $1"; exit 0; }

# needs PROGRAM…: skips the whole test when one is missing
needs() {
	for program; do
		command -v "$program" >/dev/null 2>&1 || skip_all "$program is not installed"
	done
}

# make_run NAME RANKS STEPS NODES SQL…: a run's folder with a database made from tests/report/*.sql
make_run() {
	run=$work/$1
	mkdir -p "$run" || return 1
	{
		cat "$top_builddir/analyzer/db/schema.sql"
		echo "create temp table size(ranks, steps, nodes); insert into size values ($2, $3, $4);"
		shift 4
		for sql; do cat "$samples/$sql.sql"; done
	} | sqlite3 -bail "$run/tacho.db"
}

# golden NAME FILE: FILE is what tests/report/NAME.txt says; TACHO_UPDATE=1 writes it instead
golden() {
	[ -z "$TACHO_UPDATE" ] || cp "$2" "$samples/$1.txt"
	diff -u "$samples/$1.txt" "$2" >"$work/diff"
	status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "$work/diff"
	return $status
}
