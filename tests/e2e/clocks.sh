#!/bin/sh
# Nodes whose clocks were shifted and stretched are put on one axis: no message arrives before it is
# sent, and the error against the injected truth is within the residual that tacho states.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
[ "$(id -u)" = 0 ] || skip_all "nodes on one machine need root"
/usr/bin/python3 -c 'import otf2' 2>/dev/null || skip_all "python3-otf2 is not installed"

TACHO_CLUSTER=tc$(($$ % 1000))x
TACHO_CLUSTER_NET=10.78.$(($$ % 250))
export TACHO_CLUSTER TACHO_CLUSTER_NET
cluster=$top_srcdir/examples/cluster/cluster
trap '"$cluster" down; rm -rf "$work"' EXIT
"$cluster" up 3 >/dev/null 2>&1 || skip_all "this machine lets nobody make network namespaces"

"$MPICC_OPENMPI" -O2 -I"$top_srcdir/include" -o ticks "$top_srcdir/tests/e2e/clock_ticks.c" || exit 99
library_link=$(mktemp -u "${TMPDIR:-/tmp}/tacho-lib.XXXXXX")
ln -s "$library" "$library_link"
link=$(mktemp -u "${TMPDIR:-/tmp}/tacho-work.XXXXXX")	# Open MPI's agent takes no blanks
ln -s "$work" "$link"

record() {	# RUN SKEW
	(cd "$link" && timeout 100 "$cluster" run mpirun -n 3 -x LD_PRELOAD="$library_link" -x TACHO_DIR="$link/$1" \
		-x TACHO_TEST_CLOCK="$2" "$link/ticks" "$link/true-$1") && "$tacho" -q merge "$1" && "$tacho" -q analyze "$1"
}

host() {
	echo "$TACHO_CLUSTER$1"
}

check "three nodes with right clocks are recorded" record right ""
check "their times agree within the residual" "$top_srcdir/tests/e2e/clock_check.py" right/trace/traces.otf2 right/tacho.db true-right
check "three nodes with wrong clocks are recorded" record wrong \
	"$(host 2):250000000:40000,$(host 3):-3000000000:-25000"
check "their times agree within the residual" "$top_srcdir/tests/e2e/clock_check.py" wrong/trace/traces.otf2 wrong/tacho.db true-wrong
check "the residual is below a millisecond" same \
	"$(query "select count(*) from node where clock_residual_ns between 0 and 999999" wrong)" 3
check "no cause comes after its effect" same "$(query "select count(*) from checks where not ok" wrong)" 0
rm -f "$library_link" "$link"
plan
