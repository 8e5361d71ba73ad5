#!/bin/sh
# A DDP training on nodes of their own, whose clocks are wrong: what each rank has sent each other
# through sockets is what gloo's ring needs, both ends agree, and times agree within the residual.
. "$top_srcdir/tests/e2e/lib.sh"

[ "$(id -u)" = 0 ] || skip_all "nodes on one machine need root"
PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
not_sanitized
unset PYTHONPATH
cluster=$top_srcdir/examples/cluster/cluster
TACHO_CLUSTER=d$(printf %x $$)n
TACHO_CLUSTER_NET=10.$((80 + $$ % 170)).$(($$ / 170 % 250))
export TACHO_CLUSTER TACHO_CLUSTER_NET
trap '"$cluster" down >down.out 2>&1; rm -rf "$work"' EXIT
"$cluster" up 4 >up.out 2>&1 || skip_all "no nodes can be made: $(tail -n 1 up.out)"

cat >train.py <<-'END'
	"""Prints "RANK NS ERROR": when its only marked step began, by the clock that all nodes share."""
	import sys
	import time

	import torch
	import torch.distributed as dist

	sys.path.insert(0, sys.argv[1])
	import tacho

	torch.set_num_threads(1)
	dist.init_process_group("gloo")
	for _ in range(20):
	    dist.all_reduce(torch.ones(100_000))
	dist.barrier()
	before = time.monotonic_ns()
	with tacho.step(0):
	    after = time.monotonic_ns()
	print(dist.get_rank(), before, after - before)
	dist.barrier()
	dist.destroy_process_group()
END

# ranks N: trains on N nodes. The clocks of the second and the last are wrong by seconds, and longer by 30 ppm.
ranks() {
	rank=$1 started=
	while [ $((rank -= 1)) -ge 0 ]; do
		timeout 400 "$cluster" on $TACHO_CLUSTER$((rank + 1)) env RANK=$rank WORLD_SIZE="$1" LOCAL_RANK=0 \
			MASTER_ADDR=$TACHO_CLUSTER_NET.1 MASTER_PORT=29500 GLOO_SOCKET_IFNAME=eth0 \
			TACHO_TEST_CLOCK="${TACHO_CLUSTER}2:-3000000000:30000,${TACHO_CLUSTER}4:1000000000:-30000" \
			TACHO_DIR="$work/run$1" LD_PRELOAD="$library" /usr/bin/python3 train.py "$top_srcdir/include" >"said$1.$rank" &
		started="$started $!"
	done
	wait $started
	cat said"$1".* | sort >"true$1"
	"$tacho" -q merge "run$1" && "$tacho" -q analyze "run$1"
}

agree() {
	awk -v at="$(query "select group_concat(start_ns, ' ') from (select s.start_ns from step s join process p
		on p.id = s.process_id order by p.rank)" "run$1")" -v residual="$(query "select max(clock_residual_ns) from node" "run$1")" -v n="$1" '
		{ split(at, t); off = t[NR] - t[1] - ($2 - first); if (NR == 1) { first = $2; off = 0 } off = off < 0 ? -off : off }
		{ error += $3; worst = off > worst ? off : worst }
		END { print "off by", worst, "residual", residual, "error of the truth", error; exit !(NR == n && worst <= residual + error) }' "true$1"
}

for n in 2 4; do
	check "$n ranks on as many nodes are recorded" ranks $n
	# each of 20 all-reduces of 400,000 bytes sends 2 (n - 1) / n of them to one neighbour
	check "the neighbour of each rank gets what a ring of $n sends" same "$(query "select count(*) from (select rank, max(bytes) as bytes
		from socket_pair group by rank) where bytes between 20 * 400000 * 2 * ($n - 1) / $n and 1.02 * 20 * 400000 * 2 * ($n - 1) / $n" run$n)" $n
	check "both ends of all connections agree" same "$(query "select count(*) || ' ' || total(a.bytes_sent <> b.bytes_received) from socket a
		join socket b on b.local = a.remote and b.remote = a.local where a.peer_id is not null and a.bytes_sent > 100000" run$n)" "$n 0.0"
	# to less than they are wrong by, though a rank that waits for its core answers late
	check "all clocks are tied together" same "$(query "select count(*) from node where clock_residual_ns between 0 and 300000000" run$n)" $n
	check "and times agree within the residual" agree $n
	check "no check fails" same "$(query "select group_concat(name || message) from checks where not ok" run$n)" ""
done
plan
