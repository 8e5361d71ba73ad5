#!/bin/sh
# Ranks that talk through sockets: who has sent whom how much is what they say themselves, by TCP and
# by AF_UNIX, and in namespaces of their own, where there may be some.
. "$top_srcdir/tests/e2e/lib.sh"

command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
${CC:-cc} -O2 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/sockets_load.c" || exit 99

cat >launch <<'END'
	rank=$1
	while [ $((rank -= 1)) -ge 0 ]; do
		RANK=$rank WORLD_SIZE=$1 timeout 60 ./load 127.0.0.1 . >out.$rank 2>true.$rank &
	done
	wait
END
pairs="select rank, peer_rank, bytes from socket_pair order by rank, peer_rank"

check "four ranks are recorded" "$tacho" -q record -o run -- sh ./launch 4
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
		# the second node's clock is 3 s behind, and 40 µs longer each second
		mkdir ports
		for rank in 0 1; do
			timeout 60 "$cluster" on $TACHO_CLUSTER$((rank + 1)) env RANK=$rank WORLD_SIZE=2 TACHO_TEST_CLOCK="${TACHO_CLUSTER}2:-3000000000:40000" TACHO_DIR="$work/nodes" \
				LD_PRELOAD="$library" "$work/load" "$TACHO_CLUSTER_NET.%d" "$work/ports" step >out.n$rank 2>true.n$rank &
			ranks="${ranks:-} $!"
		done
		wait $ranks
		check "ranks on two nodes are recorded" sh -c '"$0" -q merge nodes && "$0" -q analyze nodes' "$tacho"
		check "bytes of each pair are the program's" same "$(query "$pairs" nodes)" "$(cat out.n? | sort)"
		sed -n 's/^[01] [0-9]* [0-9]*$/&/p' true.n0 true.n1 | sort >true.n
		# to less than the 3 s, though a rank that waits for its core answers late
		check "clocks are tied by the bytes that went through sockets" same "$(query "select count(*) from node
			where clock_residual_ns between 0 and 500000000" nodes)" 2
		check "and agree with the clock that is right, within the residual" awk -v at="$(query "select
			group_concat(s.start_ns, ' ') from (select p.rank, s.start_ns from step s join process p on p.id = s.process_id
			order by p.rank) s" nodes)" -v residual="$(query "select max(clock_residual_ns) from node" nodes)" '
			{ true[$1] = $2; error += $3 }
			END { split(at, t); off = t[2] - t[1] - (true[1] - true[0]); off = off < 0 ? -off : off
				print "off by", off, "residual", residual, "error of the truth", error
				exit !(NR == 2 && off <= residual + error) }' true.n
		check "and the nodes are two" same "$(query "select count(*) from node" nodes)" 2
	else
		echo "# no nodes can be made: $(tail -n 1 up.out)"
	fi
fi
plan
