#!/bin/sh
# The cost of launches is limited: kernels are recorded in a sample of steps, what they say of all is
# right, and nothing that was not recorded counts as idle.
. "$top_srcdir/tests/cupti_common.sh"
need 19
run=$tmp/run
[ -s "$top_builddir/tests/cupti/bound13" ] || exit 1

# bound OPTIONS -- SECONDS KERNELS SEED: as loop, with launches that cost much more recorded than bare
bound()
{
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	rm -rf "$run"
	STANDIN_LAUNCH_NS=4000 STANDIN_CALLBACK_NS=20000 STANDIN_RECORD_NS=20000 STANDIN_DEVICES=1 TACHO_MAX_COST_AFTER=0.2 \
		LD_LIBRARY_PATH=$standin/cuda13 RANK=0 WORLD_SIZE=1 timeout 400 \
		"$tacho" record $options -o "$run" -- "$top_builddir/tests/cupti/bound13" "$@" >"$tmp/out" 2>"$tmp/err"
}

said_by_program()
{
	sed -n "s/^$1 //p" "$tmp/out"
}

bound --max-cost 0.1 -- 6 6 1
kernels=$(sql "select sum(calls) from kernel where name = 'spin'")
launches=$(said_by_program launches)
ok "kernels of a sample of steps are recorded" test "$kernels" -gt 100 -a "$kernels" -lt $((launches / 2))
ok "launches are counted, recorded or not" same "$(property gpu_launches_counted)" "$launches"
ok "every step is there" same "$(sql 'select count(*) from step')" "$(said_by_program steps)"
ok "each recorded kernel has its launch" same \
	"$(sql "select sum(calls) from call where name = 'cudaLaunchKernel'")" "$kernels"
ok "the cost of a launch is measured" test "$(sql "select value + 0 between 20 and 50000 from environment
	where key = 'gpu_step_cost_percent'")" = 1
ok "the share of steps follows from it" test "$(sql "select s.value + 0 < 0.2 from environment s where s.key = 'gpu_sample_share'")" = 1
ok "shares are of all launches, recorded or not" test "$(sql "select b.value between 0.3 * k.ns / r.ns and 3.0 * k.ns / r.ns and e.value between 1e-6 and 0.5
	from metric b, metric e, (select sum(total_ns) * $launches / sum(calls) as ns from kernel where name = 'spin') k,
		(select max(end_ns) - min(start_ns) as ns from step) r
	where b.name = 'sampled_busy_share' and e.name = 'sampled_busy_error'")" = 1
ok "and the notes have them with their interval" sh -c "'$tacho' report -s '$run' | tr -s ' \n' ' ' | grep -q 'by that sample GPUs compute for [0-9.]* ± [0-9.]* %'"
ok "the limit is known" same "$(property gpu_max_cost_percent)" 0.1
ok "the rest of the device's time is not in detail" test "$(sql "select total(ns) filter (where state = 'not_in_detail') > 0.05 * sum(ns)
	from device_time where window = 'run'")" = 1
ok "what is not recorded is not idle" test "$(sql "select total(ns) filter (where state = 'idle:unknown') < 0.02 * sum(ns)
	from device_time where window = 'run'")" = 1
ok "checks hold" checks_hold
ok "nothing is lost or said" same "$(lost)$(grep -c ^tacho "$tmp/err")" 0

# Without a limit all are recorded, and with one that launches cannot exceed.
bound --max-cost 0 -- 1 60 2
ok "without a limit all kernels are recorded" same "$(sql "select sum(calls) from kernel where name = 'spin'")" "$(said_by_program launches)"
ok "and all of the device's time is in detail" same "$(sql "select count(*) from device_time where state = 'not_in_detail'")" 0
bound --max-cost 99 -- 1 60 2
ok "below the limit all kernels are recorded" same "$(sql "select sum(calls) from kernel where name = 'spin'")" "$(said_by_program launches)"

# A graph is one launch, which is recorded in each step.
TACHO_MAX_COST_AFTER=0.1
export TACHO_MAX_COST_AFTER STANDIN_CALLBACK_NS=400
loop 13 -- 3000 5 graph
ok "graphs are launched in each step" same "$(sql "select sum(calls) from call where name = 'cudaGraphLaunch'")" 3000
ok "copies are recorded in each step" same "$(sql "select calls from kernel where name = 'memcpy_h2d'")" 6000
ok "checks hold" checks_hold
