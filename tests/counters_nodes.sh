#!/bin/sh
# Network counters of several nodes (examples/cluster) against the interfaces' own, read before and
# after.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

load=$top_builddir/tests/counters_load
[ -x "$load" ] || skip_all "built without MPI"
cluster_up 2 1gbit

less() {
	awk -v x="$1" -v y="$2" 'BEGIN { exit !(x > 0 && x < y) }' ||
		{ echo "found $1, expected less than $2"; return 1; }
}

a=$(node 1) b=$(node 2)
before="$(interface "$a") $(interface "$b")"
timeout 120 "$cluster" run env TACHO_DIR="$work/run" mpirun -n 2 -x TACHO_DIR -x LD_PRELOAD="$library" \
	"$load" exchange 256 0.5 >run.out 2>&1 || sed 's/^/# /' run.out
set -- $before $(interface "$a") $(interface "$b")	# sent and received by both, before and after
sent=$(($5 - $1)) received=$(($8 - $4))
check "the run is merged and analyzed" sh -c '"$1" merge run && "$1" analyze run' sh "$tacho"

grown() {	# NODE NAME
	query "select max(value) - min(value) from sample join node on node.id = node_id where hostname = '$1' and name = '$2'"
}

moved() {	# NODE COLUMN: bytes by the mean rate of the run
	query "select $2 * 1e9 / 8 * (select duration_ns from run) / 1e9 from throughput
		where source = 'counters' and window = 'run' and node = '$1'"
}

check "two nodes are in the database" same "$(query 'select count(*) from node')" 2
check "bytes sent in the samples are the interface's" near \
	"$(grown "$a" net.eth0.tx_bytes)" "$sent" 0.02
check "bytes received in the samples are the interface's" near \
	"$(grown "$b" net.eth0.rx_bytes)" "$received" 0.02
check "bytes sent by the rate of the run are the interface's" near \
	"$(moved "$a" network_sent_gbps)" "$sent" 0.02
check "bytes received by the rate of the run are the interface's" near \
	"$(moved "$b" network_received_gbps)" "$received" 0.02
check "what MPI calls say stands next to it, within headers" near \
	"$(query "select network_sent_gbps * 1e9 / 8 * (select duration_ns from run) / 1e9 from throughput
		where source = 'calls' and window = 'run' and node = '$a'")" "$sent" 0.1
check "no second is faster than the link" less \
	"$(query "select max(network_sent_peak_gbps) from throughput where source = 'counters'")" 1.1
check "the machine's disks are said to be shared" same \
	"$(query "select count(*) from metric where model = 'counters' and name = 'storage_write' and window = 'run'
		and value is not null and flag is null")" 0

# An interface that appears in the middle: its set is named anew, and the others go on. How long both nodes take to
# start is the machine's affair, so the clock runs from their word on.
timeout 120 "$cluster" run env TACHO_DIR="$work/late" mpirun -n 2 -x TACHO_DIR -x LD_PRELOAD="$library" \
	"$load" sleep 2 >late.out 2>&1 &
while kill -0 $! 2>/dev/null && [ "$(grep -c asleep late.out)" -lt 2 ]; do sleep 0.05; done
sleep 1 && ip -n "$a" link add late type veth peer name late2
wait $! || sed 's/^/# /' late.out
check "a run in which an interface appears is merged and analyzed" sh -c '"$1" merge late && "$1" analyze late' sh "$tacho"
samples() {	# INTERFACE: of the node to which it was added
	echo "(select t_ns from sample join node on node.id = node_id where hostname = '$a' and name = 'net.$1.rx_bytes')"
}
check "the interface is there from then on" same "$(query "select min(t_ns) - (select min(t_ns) from $(samples eth0)) > 500000000,
	max(t_ns) - min(t_ns) > 1000000000 from $(samples late)" late)" "1|1"
check "and another one all the time" same "$(query "select count(*) > 0, max(t_ns) - (select min(t_ns) from $(samples late)) > 1000000000
	from $(samples eth0)" late)" "1|1"
check "which otf2-print shows without a complaint" same \
	"$(timeout 60 otf2-print late/trace/traces.otf2 2>&1 >/dev/null | wc -l)" 0
plan
