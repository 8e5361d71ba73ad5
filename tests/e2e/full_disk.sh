#!/bin/sh
# A full disk under the spools: the program is unaffected, what fitted is readable, the loss is
# counted and shown; within a budget older events make room, and nothing is lost.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
[ "$(id -u)" = 0 ] || skip_all "mounting a small file system needs root"
mkdir small
mount -t tmpfs -o size=2m tacho-test small 2>/dev/null ||
	skip_all "this machine lets nobody mount a tmpfs"
trap 'umount "$work/small"; rm -rf "$work"' EXIT

"$MPICC_OPENMPI" -O2 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/death_load.c" || exit 99
head -c 8192 /dev/zero >data

check "the program ends well on a full disk" \
	timeout 100 "$tacho" record --max-size 0 -o run --spool small -- mpirun -n 2 ./load counters data 3 fast
./load counters >truth
begun=$(awk '{ n += $4 } END { print n }' truth)
returned=$(awk '{ n += $5 } END { print n }' truth)
recorded=$(query "select sum(calls) from call where name in ('MPI_Allreduce', 'MPI_Iprobe', 'MPI_Send', 'MPI_Recv',
	'MPI_Isend', 'MPI_Irecv', 'MPI_Waitall', 'pread', 'pwrite')")
lost=$(query "select coalesce(sum(count), 0) from loss where reason = 'disk_full'")
echo "# begun $begun, returned $returned, recorded $recorded, lost $lost"
check "every call of the program returned" same "$returned" "$begun"
check "what fitted is readable" test "${recorded:-0}" -gt 1000
check "the loss is counted" test "${lost:-0}" -gt 1000
check "recorded and lost records make up all calls of the program" test $((recorded + lost)) -ge "$returned"
"$tacho" stats run >stats 2>&1
check "tacho stats shows the loss" grep -q disk_full stats
"$tacho" report run >/dev/null 2>&1
check "the report shows the loss" grep -qiE 'disk.full|no space' run/report.html

"$MPICC_OPENMPI" -w -O2 -I"$top_srcdir/include" -o bounded "$top_srcdir/tests/e2e/bounded_load.c" || exit 99
head -c 4096 /dev/zero >block
timeout 100 "$tacho" record -f -o run --spool small -- mpirun -n 2 ./bounded block 1200 >made 2>said
check "within a budget the program ends well, too" test $? = 0
check "which is said once by whoever met it, and nothing else" test "$(grep '^tacho\[' said |
	sed 's/^tacho\[.\]: no more room for events: .*//' | grep -c .)" = 0
# Whoever has no chunk while the other one gives its own up loses what has no place just then, which is counted.
check "older events made room: next to nothing is lost" same "$(query "select total(count) <= 100 from loss")" 1
grep '^[01] ' made | sort >truth
calls() {
	query "select $1 from call c join process p on p.id = c.process_id where c.name = '$2' order by rank"
}
check "totals have all calls" same "$(calls calls pread; calls calls MPI_Allreduce)" "$(cut -d ' ' -f 2 truth; cut -d ' ' -f 6 truth)"
check "and bytes" same "$(calls bytes_received pread; calls bytes_sent MPI_Isend)" "$(cut -d ' ' -f 3 truth; cut -d ' ' -f 5 truth)"
check "and steps" same "$(query "select sum(steps) from step_all group by process_id")" "$(cut -d ' ' -f 6 truth)"
check "a part is not in detail" same "$(query "select count(*) from metric where model = 'quality' and
	name = 'not_in_detail' and window = 'run' and value > 0")" 2
plan
