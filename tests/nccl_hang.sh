#!/bin/sh
# NCCL on stand-ins: while ranks wait on their streams for one that has called a collective less than they,
# and after all were killed, tacho where names it.
. "$top_srcdir/tests/nccl_common.sh"
if [ ! -x "$programs/nccl_hang" ]; then
	echo "1..0 # SKIP no CUDA toolkit, or no nccl.h"
	exit
fi

# hangs N SENTENCE: N ranks
hangs() {
	mkdir "$tmp/id$1" || return
	pids=
	for rank in $(seq 0 $(($1 - 1))); do
		env LD_PRELOAD="$lib" TACHO_DIR="$tmp/hang$1" RANK="$rank" WORLD_SIZE="$1" LOCAL_RANK="$rank" \
			"$programs/nccl_hang" "$rank" "$1" "$tmp/id$1" >"$tmp/out$rank" 2>&1 &
		pids="$pids $!"
	done
	for i in $(seq 60); do
		"$tacho" where "$tmp/hang$1" >"$tmp/said" 2>&1
		head -n 1 "$tmp/said" | grep -q "^$2" && break
		sleep 0.5
	done
	for i in $(seq 20); do
		"$tacho" watch --once --json --interval 500ms --hang 500ms "$tmp/hang$1" >"$tmp/watched"
		grep -q "\"hang\":\"$2" "$tmp/watched" && grep -q "$gpus" "$tmp/watched" && break
	done
	kill -KILL $pids
	wait $pids 2>/dev/null
	"$tacho" where "$tmp/hang$1" 2>&1 | sed '1 { /^This run is dead: all its ranks were killed/d }' >"$tmp/dead"
	"$tacho" -q merge "$tmp/hang$1" && "$tacho" -q analyze "$tmp/hang$1"
	sqlite3 "$tmp/hang$1/tacho.db" 'select substr(message, 7) from finding where rule = "hang" and n = 1' >"$tmp/first"
}

says() {
	head -n 1 "$1" | grep -q "^$2" || { cat "$1" "$tmp"/out*; return 1; }
}

late="cudaStreamSynchronize for NCCL's collective #3 for rank 1, which has been in [a-z_]*sleep for"
gpus='"gpu":"0","utilisation_percent":[0-9.]*,"power_w":200},{"gpu":"1","utilisation_percent":[0-9.]*,"power_w":100}'
export STANDIN_POWER_W=200,100
echo 1..8
hangs 2 "Rank 0 waits in $late"
ok "2 ranks: who waits for whom" says "$tmp/said" "Rank 0 waits in $late"
ok "tacho watch says so, too" grep -q "\"hang\":\"Rank 0 waits in $late" "$tmp/watched"
ok "with what the GPUs do and take" grep -q "$gpus" "$tmp/watched"
ok "and when all were killed" says "$tmp/dead" "Rank 0 waits in $late"
ok "which is the first finding" says "$tmp/first" "Rank 0 waits in $late"
hangs 4 "Ranks 0, 2 and 3 wait in $late"
ok "4 ranks: who waits for whom" says "$tmp/said" "Ranks 0, 2 and 3 wait in $late"
ok "and when all were killed" says "$tmp/dead" "Ranks 0, 2 and 3 wait in $late"
ok "which is the first finding" says "$tmp/first" "Ranks 0, 2 and 3 wait in $late"
