#!/bin/sh
# What starts ranks and asks CUDA for devices, as torchrun's agent does, is recorded, too: the kernel adds the I/O of
# those that it has waited for to its own, which is none of theirs.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
load=$top_builddir/tests/counters_load
standin=$(cd "$top_builddir" && pwd)/tests/standin/cuda13
if [ ! -e "$standin/libcuda.so.1" ] || [ ! -x "$load" ] || ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP no stand-ins for CUDA, no MPI, or no python3"
	exit
fi
echo 1..3
cat >"$tmp/agent.py" <<-'END'
	import ctypes, subprocess, sys, time
	ctypes.CDLL("libcuda.so.1").cuInit(0)
	subprocess.run(["mpirun", "-n", "2", *sys.argv[1:]], check=True)
	time.sleep(0.3)
END
env -u RANK -u WORLD_SIZE LD_LIBRARY_PATH="$standin" LD_PRELOAD="$lib" TACHO_DIR="$tmp/run" \
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
	timeout 60 python3 "$tmp/agent.py" "$load" write "$tmp/file" 16 >"$tmp/said" 2>&1
"$tacho" -q merge "$tmp/run" && "$tacho" -q analyze "$tmp/run" >/dev/null
sql() { sqlite3 "$tmp/run/tacho.db" "$1"; }
ok "both ranks and what started them are there" same "$(sql "select count(rank) || ' of ' || count(*) from process")" "2 of 3"
ok "what the ranks wrote is theirs, once" same "$(sql "select sum(value) between (1 << 20) * 16 and (1 << 20) * 40
	from metric where name = 'write_call_bytes'")" 1
ok "and nothing of it is unseen" same "$(sql "select count(*) from metric where name = 'unseen_write_bytes' and value between 0 and 300000")" 2
