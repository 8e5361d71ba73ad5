# cluster.sh - a cluster of namespace nodes for a test; sourced after lib.sh. Sets cluster (the
# command), link (the work folder by a name without blanks, which Open MPI's agent does not take)
# and goes there.

cluster=$top_srcdir/examples/cluster/cluster
TACHO_CLUSTER=t$(printf %x $$)n
TACHO_CLUSTER_NET=10.$((80 + $$ % 170)).$(($$ / 170 % 250))
export TACHO_CLUSTER TACHO_CLUSTER_NET

# cluster_up N [RATE]: or the test is skipped.
cluster_up() {
	[ "$(id -u)" = 0 ] || skip_all "nodes on one machine need root"
	mpirun --version 2>/dev/null | grep -q 'Open MPI' || skip_all "no mpirun of Open MPI's"
	not_sanitized
	link=$(mktemp -u "${TMPDIR:-/tmp}/tacho-nodes.XXXXXX")
	trap '"$cluster" down; rm -rf "$work" "$link"' EXIT
	"$cluster" up "$@" >up.out 2>&1 || skip_all "no nodes can be made: $(tail -n 1 up.out)"
	ln -s "$work" "$link" && cd "$link" || exit 99
	PATH=$(dirname "$tacho"):$PATH
}

node() {
	echo "$TACHO_CLUSTER$1"
}

# interface NODE: bytes that its eth0 has sent and received.
interface() {
	ip netns exec "$1" awk '/eth0:/ { sub(/.*:/, ""); print $9, $1 }' /proc/self/net/dev
}

# near FOUND EXPECTED SHARE
near() {
	awk -v x="$1" -v y="$2" -v s="$3" 'BEGIN { exit !(y > 0 && x >= y * (1 - s) && x <= y * (1 + s)) }' ||
		{ echo "found $1, expected $2 within $3"; return 1; }
}

# on_nodes RUN N: N ranks on N nodes, all ended and with calls.
on_nodes() {
	same "$(query "select count(*), count(distinct node_id), count(distinct rank), min(end) || max(end) from process
		where rank is not null and exists (select 1 from call c where c.process_id = process.id)" "$1")" \
		"$2|$2|$2|finishedfinished"
}

# everywhere RUN N: so, and the nodes' clocks agree within the stated residuals, and network rates are
# there; every other check of the analysis holds.
everywhere() {
	on_nodes "$1" "$2" &&
		same "residuals $(query "select count(clock_residual_ns) from node" "$1")" "residuals $2" &&
		same "rates $(query "select count(network_sent_gbps) from throughput where source = 'counters'
			and window = 'run'" "$1")" "rates $2" &&
		same "$(query "select * from checks where not ok and (name <> 'causality' or
			cast(substr(message, instr(message, 'by up to ') + 9) as integer) >
			2 * (select max(clock_residual_ns) from node))" "$1")" ""
}
