#!/bin/sh
# A selection of tests/scenarios: what is planted is the first finding, with its ranks, its line and, within 10 % and 0.3 s, the
# seconds of the loop that it is not planted in.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
not_sanitized

set -- torch.flock.2 torch.thread,validate.2 mpi.tool,fetch.2
if [ -x "$top_builddir/tests/e2e/scenarios_gpu" ]; then
	set -- "$@" gpu.fetch,validate.2
fi
for scenario; do
	for try in 1 2; do # a machine that others use
		"$top_srcdir/tests/scenarios" "$scenario" >out 2>&1 && break
	done
	check "$scenario" sh -c 'grep -q "^right" out || { cat out; exit 1; }'
done
plan
