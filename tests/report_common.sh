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

# links_driver FOLDER: FOLDER/links.txt, the body of a function of document and window that follows the links of the page
# there (links.js), with what the database says of each finding and cause.
links_driver() {
	sqlite3 "$1/tacho.db" "select 'const facts = ' || json_group_array(json_object('n', n, 'rule', rule || coalesce('/' || variant, ''), 'rank', culprit_rank, 'phase', phase,
			'line', case when place glob '* at *' then substr(place, instr(place, ' at ') + 4) end, 'call', case when place not glob '* at *' then place end,
			'first', first_step, 'last', last_step, 'from', (select min(start_ns) / 1e9 from step s where s.run_id = f.run_id and s.n between f.first_step and f.last_step),
			'to', (select max(end_ns) / 1e9 from step s where s.run_id = f.run_id and s.n between f.first_step and f.last_step),
			'outside', (select first_step from cause c where c.run_id = f.run_id and f.rule = 'outside_more' and c.part = f.variant || '_outside'
				and c.ranks = '' || f.culprit_rank and message glob case first_step when -2 then '* before the first step*' else '* after the last step*' end),
			'begin', (select min(start_ns) / 1e9 from step), 'finish', (select max(end_ns) / 1e9 from step))) || ';'
		from finding f where run_id = 1;
		select 'const causes = ' || json_group_array(json_object('n', n, 'rank', cast(ranks as integer))) || ';' from cause where run_id = 1" >"$1/links.txt"
	cat "$samples/links.js" >>"$1/links.txt"
}
