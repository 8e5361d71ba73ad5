# analyze_common.sh - what the tests of analyze share: a folder of their own, TAP lines, archives of worked
# cases. Sourced.
tacho=$top_builddir/analyzer/tacho
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
: >"$dir/err"
n=0

# ok STATUS NAME: one TAP line, good when STATUS is 0; else with the start of $dir/err after it.
ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		head -n 20 "$dir/err" | sed 's/^/# /'
	fi
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# make_case NAME [CASE]: the archive of a worked case of tests/golden in $dir/NAME
make_case() {
	mkdir "$dir/$1" && "$top_builddir/tests/unit/golden" "$tacho" "$dir/$1" write \
		"$top_srcdir/tests/golden/cases/${2:-$1}.case"
}

# broken DATABASE: identities and promises that it does not hold, a line each
broken() {
	cat "$top_srcdir/tests/identities.sql" "$top_srcdir/tests/promises.sql" | sqlite3 -readonly "$1" 2>&1
}

# worked_cases [NAME...]: files of the worked cases; under sanitizers, where each takes five times as long
# and golden/analyze tries them all, one in five and those named.
worked_cases() {
	every=1
	! grep -q __asan_init "$tacho" && ! grep -q __asan_init "$(dirname "$tacho")/.libs/tacho" 2>/dev/null || every=5
	ls "$top_srcdir"/tests/golden/cases/*.case | awk -v every=$every -v names=" $* " '{
		name = $0
		gsub(/.*\/|\.case$/, "", name)
		if (NR % every == 0 || index(names, " " name " "))
			print
	}'
}

# golden NAME DATABASE: ranks, steps, calls, kernels, copies, collectives and times are those of tests/golden/NAME.expected.
# UPDATE_GOLDEN=1 writes that anew (then review it).
golden() {
	sqlite3 -readonly "$2" "select 'process', rank, pid, start_ns, end_ns from process order by rank, pid;
		select 'step', p.rank, s.n, s.start_ns, s.end_ns from step s join process p on p.id = s.process_id order by 2, 3;
		select 'call', p.rank, c.name, c.class, c.calls, c.total_ns, c.bytes_sent from call c join process p on p.id = c.process_id
			order by 2, 3;
		select 'kernel', device_id, name, class, calls, total_ns, bytes from kernel order by 2, 3;
		select 'copy', device_id, op, memory, copies, bytes, total_ns from copy order by 2, 3, 4;
		select 'collective', kind, op, bytes, count(*), sum(last_ns - first_ns), sum(end_ns - last_ns) from collective
			group by kind, op, bytes;
		select 'host', p.rank, h.state, h.ns from host_time h join process p on p.id = h.process_id where h.\"window\" = 'run' order by 2, 3;
		select 'device', device_id, state, ns from device_time where \"window\" = 'run' order by 2, 3" >"$dir/is" 2>"$dir/err"
	[ -z "$UPDATE_GOLDEN" ] || cp "$dir/is" "$top_srcdir/tests/golden/$1.expected"
	diff "$top_srcdir/tests/golden/$1.expected" "$dir/is" >>"$dir/err" && [ -s "$dir/is" ]
}
