# nccl_common.sh - what the tests of NCCL on stand-ins share: all ranks of a program at once, and the
# comparison of their trace with what they said. Sourced.
. "$top_srcdir/tests/collector_common.sh"
programs=$top_builddir/tests/e2e
standins=$top_builddir/tests/standin
tacho=$top_builddir/analyzer/tacho
LD_LIBRARY_PATH=$standins/cuda13${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
STANDIN_DEVICES=4
export LD_LIBRARY_PATH STANDIN_DEVICES

# nccl_plan N: skips all where the programs could not be built.
nccl_plan()
{
	if [ ! -x "$programs/nccl_calls" ]; then
		echo "1..0 # SKIP no CUDA toolkit, or no nccl.h"
		exit
	fi
	echo "1..$1"
}

# run NAME PROCESSES PROGRAM ARGUMENTS…: all ranks, each as PROGRAM RANK PROCESSES FOLDER ARGUMENTS…
# (with own_device set, on the device of its number); what they say goes to $tmp/NAME.said.
run()
{
	name=$1 processes=$2 program=$3
	shift 3
	mkdir "$tmp/$name.id"
	pids=
	rank=0
	while [ "$rank" -lt "$processes" ]; do
		env LD_PRELOAD="$lib" TACHO_DIR="$tmp/$name" RANK=$rank WORLD_SIZE="$processes" LOCAL_RANK=$rank \
			${own_device:+CUDA_VISIBLE_DEVICES=$rank} timeout 400 "$programs/$program" $rank "$processes" \
			"$tmp/$name.id" "$@" >"$tmp/$name.said.$rank" 2>"$tmp/$name.err.$rank" &
		pids="$pids $!"
		rank=$((rank + 1))
	done
	status=0
	for pid in $pids; do
		wait "$pid" || status=$?
	done
	cat "$tmp/$name".said.* >"$tmp/$name.said"
	cat "$tmp/$name".err.*
	return $status
}

# compared NAME CHECK [MODE]: merges and analyses the run; CHECK compares it with what was said.
compared()
{
	"$tacho" merge "$tmp/$1" >"$tmp/merge" && "$tacho" analyze "$tmp/$1" >"$tmp/analyze" 2>&1 &&
		"$tacho" dump "$tmp/$1" >"$tmp/dump" || { cat "$tmp/merge" "$tmp/analyze"; return 1; }
	python3 "$top_srcdir/tests/$2" "$tmp/dump" "$tmp/$1/tacho.db" "$tmp/$1.said" ${3:+"$3"}
}
