#!/bin/sh
# examples/cluster/study with two models on two sizes: its tables have the figures of the runs.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"
trainer=$top_builddir/examples/trainer/tacho-trainer
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is missing"
cluster_up 2
"$cluster" down
export TACHO_DATADIR="$top_srcdir" GNUPLOT=none

study() {
	"$top_srcdir/examples/cluster/study" --small -o study --tacho "$tacho" --trainer "$trainer" "$@" >table 2>said || { cat said table; return 1; }
}
check "one command makes the study" study

# Mb/s of both models on 2 nodes: as the ranks read and the interfaces counted it
rates() {
	python3 - "$(grep '^storage ' table)" "$(grep '^network ' table)" <<'P'
import re, sqlite3, sys
db = sqlite3.connect("file:study/study.db?mode=ro", uri=True)
for said, column, source in ((sys.argv[1], "storage_read_gbps", "calls"), (sys.argv[2], "network_sent_gbps", "counters")):
    resnet50, gnmt = [cell.split(" / ") for cell in re.split("  +", said.strip())[1:]]
    for label, found in (("resnet50-n2", float(resnet50[1])), ("gnmt-n2", float(gnmt[1]))):
        (gbps,) = db.execute("select sum(%s) from throughput t join run r on r.id = t.run_id where r.label = ? and source = ? "
                             "and \"window\" = 'phase:train'" % column, (label, source)).fetchone()
        assert gbps > 0 and abs(found - 1000 * gbps) <= 0.006 * found, (label, column, found, gbps)
P
}
check "storage and network rates are in a table, models by nodes" rates
efficiencies() {
	same "$(awk '/^POP/ { on = 1 } /^what bounds/ { exit } on && /^(gnmt|resnet50) / { print $1, $2 }' table | tr '\n' ' ')" \
		"gnmt 1 gnmt 2 resnet50 1 resnet50 2 "
}
check "and efficiencies of each size" efficiencies
serial() {
	sed -n '/^what bounds/,$p' table >bound
	same "$(grep -cE '^(gnmt|resnet50) +2 +[0-9.]+ s +[0-9.]+ s +[0-9]+ % +[0-9.]+ s' bound)" 2 &&
		same "$(grep -cE '^(gnmt|resnet50) on 2 nodes: phase test is a serial section on rank 0: ' bound)" 2 || { cat bound; return 1; }
}
check "and what the serial test phase costs, in seconds and as it was found" serial
again() {
	begun=$(grep -c '^begin ' study/state)
	study && same "$(grep -c '^begin ' study/state)" "$begun"
}
check "started again it records nothing" again
plan
