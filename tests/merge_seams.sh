#!/bin/sh
# What a bounded spool gives up, what it keeps of that in detail, and what comes after meet at any record: each
# call, region and step counts once, and each step that is listed ends where it did. Each process of a run has
# these seams elsewhere in the same sequence of records; the first one has all of it in detail.
. "$top_srcdir/tests/analyze_common.sh"

# text ROOM: groups FROM to TO stay in detail of those before UNTIL, which are given up; the list has room for ROOM
text() {
	python3 - "$1" <<'X'
import sys

room, found = int(sys.argv[1]), -2 ** 63
# records of a group at time t: steps are as libtacho finds them, a region crosses the end of one, in a call is another
def mark(kind, what, name, value): return lambda t: [f"rec {kind} {what} 0 {name} {t} 0 {value}"]
def call(t): return [f"rec CALL usleep 0 0 {t} 20"]
def read(t): return [f"rec IO_PLAIN pread 0 1 {t} 30 4096"]
def reduce(t): return [f"rec COLL MPI_Allreduce 0 1 {t} 40 8"]
def inside(t): return [f"rec COLL MPI_Allreduce 1 1 {t + 5} 20 8", f"rec CALL MPI_File_sync 0 0 {t} 50"]
step = [mark("BEGIN", "region", 2, 0), call, mark("BEGIN", "region", 3, 0), read, mark("END", "region", 3, 0),
	mark("END", "region", 2, 0), mark("BEGIN", "region", 3, 0), reduce]
groups = [mark("BEGIN", "phase", 5, 0), mark("BEGIN", "phase", 1, 0), call]
for i in range(3):
	groups += [mark("BEGIN", "step", 4, found + i)] + (step if i != 1 else [inside]) + [mark("END", "step", 0, 32)]
groups += [mark("BEGIN", "region", 2, 0), mark("END", "region", 2, 0), mark("END", "phase", 0, 0), call, mark("END", "phase", 0, 0)]
n = len(groups)
seams = [(n, n, 0)] + [(a, b, u) for a in range(n) for b in range(a + 1, n) for u in sorted({b, min(b + 3, n - 1)})]
for rank, (begin, end, until) in enumerate(seams):
	print(f"process n.{rank + 10}.0 {rank + 10} {rank} {len(seams)}\ncomm 1 world 0 0 {rank} " +
		",".join(map(str, range(len(seams)))) + " MPI_COMM_WORLD\nhandle 1 file 5 0x2 /data/f\nend 9000\n" +
		"name 1 train\nname 2 forward\nname 3 backward\nname 4 step\nname 5 epoch\nthread 0 main")
	if until:
		print("give", room)
	for i, group in enumerate(groups):
		if until and i == until:
			print("given")
		if i == begin:
			print("keep")
		print("\n".join(group(1000 + 100 * i)))
		if i == end - 1 and until:
			print("kept")
X
}

# check WHAT SQL: for every rank it gives what it gives for the first
check() {
	sqlite3 "$dir/db" "with of(rank, found) as ($2) select rank, found from of where found is not (select found from of where
		rank = 0) or (select count(*) from of) <> $(grep -c ^process "$dir/text") limit 5" >"$dir/err" 2>&1
	status=$?
	[ "$status" -eq 0 ] && [ ! -s "$dir/err" ]
	ok $? "$1"
}

echo 1..7
for room in 60 1; do
	rm -rf "$dir/run" "$dir/db"
	mkdir -p "$dir/run/spool"
	text $room >"$dir/text" && "$top_builddir/tests/unit/spool_make" "$dir/run/spool" <"$dir/text" &&
		"$tacho" -q merge "$dir/run" >/dev/null && "$tacho" -q analyze --db "$dir/db" "$dir/run" || exit 99
	# phases that begin and end where the list is full are a counted loss
	check "calls and regions count once, room for $room steps" "select rank, group_concat(name || calls || ' ' || coalesce(bytes_sent, 0) || ' ' ||
		coalesce(bytes_received, 0)) from (select rank, c.name, calls, bytes_sent, bytes_received from call c join process p
		on p.id = c.process_id where $room > 1 or c.name not in ('train', 'epoch') order by rank, c.name) group by rank"
	check "steps do, and none has lost its end, room for $room" "select rank, (select sum(steps) from step_all a where a.process_id = p.id) || ' ' ||
		(select count(*) from step s where s.process_id = p.id and cut) from process p"
	[ $room = 1 ] || check "and steps and phases begin and end where they did" "select rank, group_concat(n || ' ' || start_ns || ' ' || end_ns) from
		(select rank, n, s.start_ns, s.end_ns from step s join process p on p.id = s.process_id union all
		select rank, f.name, f.start_ns, f.end_ns from phase f join process p on p.id = f.process_id order by 1, 3, 4) group by rank"
done

# cut_at NAME: with $records, a snapshot at any instant has what had ended then, and no more
cut_at() {
	mkdir -p "$dir/$1"
	{
		printf '%s\n' "process n.10.0 10 0 1" "heartbeat 9000" "thread 0 main" "$records"
	} >"$dir/$1.txt"
	"$top_builddir/tests/unit/spool_make" "$dir/$1" <"$dir/$1.txt" || exit 99
	times="1095 1110 1120 1150 1195 1210 1230 1250 1300 1340 1360 1400 1500"
	for t in $times; do
		awk -v t=$t '$1 == "rec" && $6 > 1050 { n += $6 + $7 <= t; open += $6 <= t && t < $6 + $7 } END { print n + 0, open + 0 }' "$dir/$1.txt"
	done >"$dir/expected"
	"$top_builddir/tests/unit/spool_cut" "$dir/$1" n.10.0 $times >"$dir/found"
	diff "$dir/expected" "$dir/found" >"$dir/err"
	ok $? "a snapshot has what had ended at its instant, $1"
}
calls="rec CALL usleep 0 0 1100 20
rec CALL usleep 1 0 1205 20
rec CALL usleep 0 0 1200 40
rec COLL MPI_Allreduce 0 1 1300 50 4
rec CALL usleep 0 0 1400 20"
records=$calls
cut_at whole
records="give
rec CALL usleep 0 0 1000 20
given
$calls"
cut_at bounded
