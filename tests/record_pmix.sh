#!/bin/sh
# Ranks that PMIx alone tells (prterun): with their number they are one job; without it tacho says so instead of making two runs.
. "$top_srcdir/tests/report_common.sh"
plan 2
cd "$work" || exit 1
unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_ID WORLD_SIZE
ranked() { PMIX_NAMESPACE=prterun-n1-1@1 PMIX_RANK=$1 PMIX_SIZE=2 "$tacho" -q record --all -o run -- cat /dev/null; }
ranked 1 & ranked 0 && wait $! && [ "$("$tacho" info run | grep -c '^rank [01] .*finished')" = 2 ]
check $? "two processes with PMIX_RANK and PMIX_SIZE are two ranks of one run"
PMIX_NAMESPACE=prterun-n1-1@1 PMIX_RANK=1 "$tacho" record --all -o other -- cat /dev/null >said 2>complained
[ $? -eq 1 ] && [ ! -e other ] && [ "$(cat complained)" = "tacho: the launcher does not state the number of ranks: put tacho before it (tacho record -o RUN -- prterun …), or set PMIX_SIZE to their number" ] || { sed 's/^/# /' complained; false; }
check $? "where their number is not told, it is one sentence with what to do"
