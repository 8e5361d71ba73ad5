#!/bin/sh
# A training by DistributedDataParallel on nodes of their own, whose clocks are wrong: what ranks have sent each other
# through sockets is what the kernel counted, byte by byte, and times agree within the residual.
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
	"""usage: train.py INCLUDE TALK: trains a model with DistributedDataParallel. When its only marked step began, "RANK NS ERROR",
	by the clock that all nodes share, goes to stdout; what the kernel says of each connection, "RANK PEER LOCAL REMOTE SENT
	RECEIVED", to TALK.RANK."""
	import os
	import socket
	import struct
	import sys
	import time

	import torch
	import torch.distributed as dist

	STEPS = 20


	def meet(where):
	    """All ranks have come here: nothing is sent for it."""
	    open(f"{sys.argv[2]}.{where}.{rank}", "w").close()
	    while not all(os.path.exists(f"{sys.argv[2]}.{where}.{peer}") for peer in range(ranks)):
	        time.sleep(0.005)


	def rank_at(address):
	    return int(address[0].rpartition(".")[2]) - 1


	def said_by_kernel(file):
	    """Of bytes sent, those sent again are taken off (struct tcp_info of linux/tcp.h)."""
	    for fd in map(int, os.listdir("/proc/self/fd")):
	        if os.path.exists(f"/proc/self/fd/{fd}") and os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
	            end = socket.socket(fileno=fd)
	            info = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256) if end.type == socket.SOCK_STREAM else b""
	            if len(info) >= 216 and info[0] == 1:  # established
	                received, (sent, again) = struct.unpack_from("Q", info, 128)[0], struct.unpack_from("QQ", info, 200)
	                local, remote = (address[:2] for address in (end.getsockname(), end.getpeername()))
	                print(rank_at(local), rank_at(remote), *(f"{host.replace('::ffff:', '')}:{port}" for host, port in (local, remote)),
	                      sent - again, received, file=file)
	            end.detach()


	sys.path.insert(0, sys.argv[1])
	import tacho

	torch.set_num_threads(1)
	dist.init_process_group("gloo")
	rank, ranks = dist.get_rank(), dist.get_world_size()
	model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1000, 100))
	optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
	for _ in range(STEPS):
	    model(torch.ones(4, 1000)).sum().backward()
	    optimizer.step()
	    optimizer.zero_grad()
	dist.barrier()
	before = time.monotonic_ns()
	with tacho.step(0):
	    after = time.monotonic_ns()
	print(rank, before, after - before)
	meet("trained")
	with open(f"{sys.argv[2]}.{rank}", "w") as talk:
	    said_by_kernel(talk)
	meet("told")
	dist.destroy_process_group()
END

# ranks N: trains on N nodes. The clocks of the second and the last are wrong by seconds, and longer by 30 ppm.
ranks() {
	rank=$1 started=
	while [ $((rank -= 1)) -ge 0 ]; do
		timeout 400 "$cluster" on $TACHO_CLUSTER$((rank + 1)) env RANK=$rank WORLD_SIZE="$1" LOCAL_RANK=0 \
			MASTER_ADDR=$TACHO_CLUSTER_NET.1 MASTER_PORT=29500 GLOO_SOCKET_IFNAME=eth0 \
			TACHO_TEST_CLOCK="${TACHO_CLUSTER}2:-3000000000:30000,${TACHO_CLUSTER}4:1000000000:-30000" \
			TACHO_DIR="$work/run$1" LD_PRELOAD="$library" /usr/bin/python3 train.py "$top_srcdir/include" "talk$1" >"said$1.$rank" &
		started="$started $!"
	done
	wait $started
	cat said"$1".* | sort >"true$1"
	"$tacho" -q merge "run$1" && "$tacho" -q analyze "run$1"
}

agree() {
	awk -v at="$(query "select group_concat(start_ns, ' ') from (select max(s.start_ns) as start_ns from step s join process p
		on p.id = s.process_id group by p.rank order by p.rank)" "run$1")" -v residual="$(query "select max(clock_residual_ns) from node" "run$1")" -v n="$1" '
		{ split(at, t); off = t[NR] - t[1] - ($2 - first); if (NR == 1) { first = $2; off = 0 } off = off < 0 ? -off : off }
		{ error += $3; worst = off > worst ? off : worst }
		END { print "off by", worst, "residual", residual, "error of the truth", error; exit !(NR == n && worst <= residual + error) }' "true$1"
}

for n in 2 4; do
	check "$n ranks on as many nodes are recorded" ranks $n
	# 1000 x 100 weights and 100 more
	check "gradients are reduced once a step" same "$(query "select group_concat(bytes || ' ' || n) from (select bytes, count(*) as n
		from collective where op = 'allreduce' and bytes > 1000 group by bytes)" run$n)" "400400 20"
	cat talk$n.[0-9] | awk '$5 + $6' | sort >kernel
	check "each connection has the bytes that the kernel counted, of both directions" same "$(query "select p.rank || ' ' || q.rank || ' ' ||
		local || ' ' || remote || ' ' || bytes_sent || ' ' || bytes_received from socket s join process p on p.id = s.process_id
		join process q on q.id = s.peer_id where bytes_sent + bytes_received > 0" run$n | sort)" "$(cat kernel)"
	check "so has each pair of ranks" same "$(query "select rank || ' ' || peer_rank || ' ' || bytes from socket_pair where bytes > 0" run$n | sort)" \
		"$(awk '$1 != $2 && $5 { n[$1 " " $2] += $5 } END { for (pair in n) print pair, n[pair] }' kernel | sort)"
	# by a ring, 2 (n - 1) / n of all gradients to one neighbour
	check "gradients among them" same "$(query "select count(*) from (select rank, max(bytes) as bytes from socket_pair group by rank)
		where bytes >= 20 * 400400 * 2 * ($n - 1) / $n" run$n)" $n
	check "both ends of all connections agree" same "$(query "select count(*) > $n, total(a.bytes_sent <> b.bytes_received) from socket a
		join socket b on b.local = a.remote and b.remote = a.local where a.peer_id is not null" run$n)" "1|0.0"
	# to less than they are wrong by, though a rank that waits for its core answers late
	check "all clocks are tied together" same "$(query "select count(*) from node where clock_residual_ns between 0 and 300000000" run$n)" $n
	check "and times agree within the residual" agree $n
	check "no check fails" same "$(query "select group_concat(name || message) from checks where not ok" run$n)" ""
done
plan
