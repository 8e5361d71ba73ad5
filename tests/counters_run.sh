#!/bin/sh
# The counters' way from /proc to the database, on real runs of one node.
. "$top_srcdir/tests/e2e/lib.sh"

load=$top_builddir/tests/counters_load
[ -x "$load" ] || skip_all "built without MPI"
command -v mpirun >/dev/null || skip_all "no mpirun"

# record RUN COMMAND...: with the library, then merge and analyze.
record() {
	run=$1
	shift
	timeout 400 env TACHO_DIR="$work/$run" mpirun -n 2 -x LD_PRELOAD="$library" \
		"$@" >"$run.out" 2>&1
	"$tacho" merge "$run" >>"$run.out" 2>&1 && "$tacho" analyze "$run" >>"$run.out" 2>&1 ||
		sed 's/^/# /' "$run.out"
}

# between FOUND LOW HIGH
between() {
	awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x >= a && x <= b) }' ||
		{ echo "found $1, expected $2 to $3"; return 1; }
}

at_least() {
	between "$1" "$2" 1e30
}

growth="select max(value) - min(value) from sample where name"

mib=64
record written "$load" write "$work/file" $mib
# one after the other where the first had no core for seconds, but never in turns
check "one process of the node reads the node's counters" between \
	"$(timeout 400 otf2-print written/trace/traces.otf2 | head -c 4000000 |
		awk '$1 == "METRIC" && /"cpu.user"/ { print $2 }' | uniq | wc -l)" 1 2
check "each process samples itself" same \
	"$(query "select count(distinct process_id) from sample where name = 'proc.wchar'" written)" 2
if [ "$(stat -f -c %T .)" = tmpfs ]; then
	ok 0 "a written file # SKIP its folder lies in memory"
else
	check "a written file shows in its process's write_bytes" between \
		"$(query "$growth = 'proc.write_bytes' and process_id = 1" written)" $((mib << 20)) $((mib * 3 / 2 << 20))
fi
if [ -n "$(query "select 1 from sample where name like 'disk.%' limit 1" written)" ] &&
	df --output=source "$work" | tail -1 | grep -q '^/dev/'; then
	check "and in those of the disks" at_least \
		"$(query "select sum(g) from (select max(value) - min(value) as g from sample
			where name like 'disk.%.write_bytes' group by name)" written)" $((mib * 9 / 10 << 20))
	check "and as a rate of the node, next to that of the calls" at_least \
		"$(query "select storage_write_gbps * 1e9 / 8 * (select duration_ns from run) / 1e9 from throughput
			where source = 'counters' and window = 'run'" written)" $((mib * 9 / 10 << 20))
	check "its seconds sum to the run's rate" between \
		"$(query "select sum(bytes) / (select storage_write_gbps * 1e9 / 8 * (select duration_ns from run) / 1e9
			from throughput where source = 'counters' and window = 'run') from throughput_second
			where kind = 'storage_write' and source = 'counter'" written)" 0.999 1.001
else
	for text in disks rate seconds; do
		ok 0 "$text # SKIP no disk of this machine has counters here"
	done
fi
check "what the calls moved is what the kernel counts" between \
	"$(query "select value from metric where model = 'counters' and name = 'unseen_write_bytes' and subject = 'rank:0'" \
		written)" 0 200000
record talked "$load" talk $mib 0
check "what only calls of sockets move is not counted, nor taken off" between \
	"$(query "select min(value) from metric where name = 'unseen_read_bytes'" talked)" 0 300000
record family "$load" talk 1 $mib
check "what a child moved counts once, though the kernel adds it to its parent's" between \
	"$(query "select max(value) from metric where name = 'read_call_bytes'" family)" $((mib << 20)) $((mib * 3 / 2 << 20))
check "and is explained by its calls" between \
	"$(query "select min(value) from metric where name = 'unseen_read_bytes'" family)" 0 300000
check "what the library writes to its spools is none of the program's" between \
	"$(query "select max(value) from metric where name in ('write_call_bytes', 'storage_write_bytes')" family)" 0 100000
record left "$load" left 100000
check "nor is that of a child whose end nobody waits for, less or more than once" between \
	"$(query "select min(value) from metric where name = 'write_call_bytes'" left)" 0 100000
check "in both ranks" between "$(query "select max(value) from metric where name = 'write_call_bytes'" left)" 0 100000
check "no figure of bytes is below 0" same "$(query "select count(*) from metric where model = 'counters' and unit = 'bytes'
	and value < 0" left)" 0
cost=$(query "select sum(value) from environment where key = 'sampler_ns'" written)
duration=$(query "select duration_ns from run" written)
echo "# sampling took $cost ns of $duration ns"
check "the archive holds a metric location per process" same \
	"$(query "select count(*) from location where kind = 'metric'" written)" 2
check "which otf2-print shows without a complaint" same \
	"$(timeout 400 otf2-print written/trace/traces.otf2 2>&1 | head -c 4000000 | grep -ci 'warn\|error:\|invalid')" 0

OMPI_MCA_orte_abort_on_non_zero_status=0 record killed "$load" sleep 3 0
check "a killed process: its samples up to its death are there" at_least \
	"$(query "select max(t_ns) / 1e9 from sample where process_id = 1 and name = 'proc.rchar'" killed)" 1.2
check "and the node's" at_least \
	"$(query "select max(t_ns) / 1e9 from sample where name = 'cpu.user'" killed)" 0.9

# Two processes of one node, without a launcher; the one that reads the node, as a link says, dies.
for rank in 0 1; do
	env TACHO_DIR="$work/taken" LD_PRELOAD="$library" RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=2 \
		timeout 400 "$load" sleep $((2 + rank)) $((-rank)) >taken.$rank.out 2>&1 &
	while kill -0 $! 2>/dev/null && ! ls -A taken/spool 2>/dev/null | grep -q '^\.'; do sleep 0.05; done
done
wait
"$tacho" merge taken >taken.out 2>&1 && "$tacho" analyze taken >>taken.out 2>&1 ||
	sed 's/^/# /' taken.out
check "when it dies, another process of the node takes over" same \
	"$(timeout 400 otf2-print taken/trace/traces.otf2 2>/dev/null | head -c 4000000 |
		awk '$1 == "METRIC" && /"cpu.user"/ { print $2 }' | sort -u | wc -l)" 2
check "which otf2-print shows without a complaint, whatever the order of the processes" same \
	"$(timeout 400 otf2-print taken/trace/traces.otf2 2>&1 >/dev/null | wc -l)" 0
check "and misses no more than some seconds" same \
	"$(query "select count(*) from (select t_ns - lag(t_ns) over (order by t_ns) as gap from sample
		where name = 'cpu.user') where gap > 4e9" taken)" 0

# Samples whose region says nonsense: not used, and counted.
cat >spoil.py <<'END'
import glob, struct
for name in glob.glob("written/spool/*/thread.*"):
    data = bytearray(open(name, "rb").read())
    at = 4096
    while struct.unpack_from("<I", data, 16)[0] == 3 and at + 24 <= len(data):
        w0, _, w2 = struct.unpack_from("<QQQ", data, at)
        if w0 == 0:
            break
        if w0 & 255 == 22:
            data[at + 2:at + 4] = b"\xff\xff"
        at += w0 >> 32 if w0 & 255 == 1 else 8 * (w2 >> 48)
    open(name, "wb").write(data)
END
if command -v python3 >/dev/null; then
	python3 spoil.py && "$tacho" merge -f written >spoil.out 2>&1 &&
		"$tacho" analyze written >>spoil.out 2>&1
	check "damaged samples are counted as lost and no figure is made of them" same \
		"$(query "select (select sum(count) > 20 from loss where reason = 'torn'), (select count(*) from sample)" written)" \
		"1|0"
else
	ok 0 "damaged samples are counted as lost # SKIP no python3"
fi

TACHO_SAMPLE_HZ=0 record off "$load" sleep 0.2
check "switched off, there is no metric location" same \
	"$(query "select count(*) from location where kind = 'metric'" off)" 0
check "nor a sample" same "$(query "select count(*) from sample" off)" 0
plan
