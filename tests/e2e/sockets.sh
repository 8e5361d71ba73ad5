#!/bin/sh
# Ranks that talk through sockets: who has sent whom how much is what they say themselves, by TCP and
# by AF_UNIX, and in namespaces of their own, where there may be some.
. "$top_srcdir/tests/e2e/lib.sh"

command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
${CC:-cc} -O2 -o load "$top_srcdir/tests/e2e/sockets_load.c" || exit 99
port=$((20000 + $$ % 1000 * 10))

cat >launch <<'END'
	rank=$1
	while [ $((rank -= 1)) -ge 0 ]; do
		RANK=$rank WORLD_SIZE=$1 timeout 60 ./load 127.0.0.1 "$2" . >out.$rank &
	done
	wait
END
pairs="select rank, peer_rank, bytes from socket_pair order by rank, peer_rank"

check "four ranks are recorded" "$tacho" -q record -o run -- sh ./launch 4 $port
check "bytes of each pair are the program's" same "$(query "$pairs")" "$(cat out.? | sort)"
check "what one end has sent the other has received" same "$(query "select sum(bytes_sent) - sum(bytes_received) from socket")" 0
check "AF_UNIX is among them" same "$(query "select group_concat(bytes_sent) from (select bytes_sent from socket
	where protocol = 'unix' order by process_id)")" "$(query "select group_concat(bytes_received) from (select bytes_received from socket
	where protocol = 'unix' order by process_id desc)")"
"$tacho" report -s run >text
check "the summary says how much" grep -q '^through sockets *15.9 MB in all between ranks · most from rank 1 to 0$' text

# The same on nodes of their own, each of which has a loopback, too.
if [ "$(id -u)" = 0 ] && [ -z "${ASAN_OPTIONS:-}" ]; then
	cluster=$top_srcdir/examples/cluster/cluster
	TACHO_CLUSTER=s$(printf %x $$)n
	TACHO_CLUSTER_NET=10.$((80 + $$ % 170)).$(($$ / 170 % 250))
	export TACHO_CLUSTER TACHO_CLUSTER_NET
	trap '"$cluster" down >down.out 2>&1; rm -rf "$work"' EXIT
	if "$cluster" up 2 >up.out 2>&1; then
		for rank in 0 1; do
			timeout 60 "$cluster" on $TACHO_CLUSTER$((rank + 1)) env RANK=$rank WORLD_SIZE=2 TACHO_DIR="$work/nodes" \
				LD_PRELOAD="$library" "$work/load" "$TACHO_CLUSTER_NET.%d" $port - >out.n$rank &
			ranks="${ranks:-} $!"
		done
		wait $ranks
		check "ranks on two nodes are recorded" sh -c '"$0" -q merge nodes && "$0" -q analyze nodes' "$tacho"
		check "bytes of each pair are the program's" same "$(query "$pairs" nodes)" "$(cat out.n? | sort)"
		check "and the nodes are two" same "$(query "select count(*) from node" nodes)" 2
	else
		echo "# no nodes can be made: $(tail -n 1 up.out)"
	fi
fi
plan
