#!/bin/sh
# Where events are lost for want of room, figures are of the time that was recorded, and say so; also
# where ranks lose them at different times.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
launcher=mpirun.openmpi room=64K
"$MPICC_OPENMPI" -w -O2 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/lost_load.c" || exit 99
head -c 4096 /dev/zero >data
steps=250

# lossy CALLS CALLS: a run whose spools hold a part of the steps; calls in a step by rank.
lossy() {
	rm -rf run
	timeout 300 "$tacho" record -o run --max-spool "$room" -- "$launcher" -n 2 ./load data $steps "$@" >out 2>&1 || { cat out; return 1; }
	n=$(query "select count(distinct n) from step")
	[ "$n" -gt 5 ] && [ "$n" -lt $((steps - 50)) ]
}

# The rate of the phase is that of the steps that one rank has recorded, times both ranks.
rate_is_of_what_was_recorded() {
	rate=$("$tacho" report -s run | sed -n 's/.* · \([0-9,]*\) samples\/s in train.*/\1/p' | tr -d ,)
	steps_rate=$(query "select 2e9 * sum(samples) / (max(end_ns) - min(start_ns)) from step
		where process_id = (select id from process where rank = 0) and not cut")
	awk -v a="$rate" -v b="$steps_rate" 'BEGIN { print a, b; exit !(a > 0.75 * b && a < 1.25 * b) }'
}

gap_is_not_recorded() {
	same "$(query "select count(*) from host_time h join process p on p.id = h.process_id join metric m
		on m.window = h.window and m.model = 'quality' and m.name = 'lost' and m.subject = 'rank:' || p.rank
		where h.window = 'phase:train' and h.state = 'absent' and h.ns >= m.value and m.value > 0")" 2 &&
	same "$(query "select count(*) from host_time h join process p on p.id = h.process_id
		where h.window = 'phase:train' and h.state = 'useful' and h.ns > 3 * (select sum(s.end_ns - s.start_ns)
			from step s where s.process_id = p.id and not s.cut)")" 0
}

figures_are_flagged() {
	same "$(query "select count(*) from metric where window in ('run', 'phase:train') and model in ('mpi', 'host')
		and subject = '' and value is not null and coalesce(flag, '') not like 'events were lost%'")" 0 &&
	same "$(query "select count(*) from metric where model = 'calls' and value is not null
		and coalesce(flag, '') not like 'events were lost%'")" 0 &&
	"$tacho" report -s run >summary && grep -q '^ *POP, MPI.* events were lost' summary &&
	grep -q 'of the time of the ranks is not recorded' summary && head -n 2 summary | grep -q 'events were lost'
}

no_check_fails() {
	same "$(query "select name, message from checks where not ok")" ""
}

check "a run whose spools are too small" lossy 20 20
check "has the rate of the part that was recorded" rate_is_of_what_was_recorded
check "the rest of the run is not recorded, rather than useful" gap_is_not_recorded
check "efficiencies, rates and lines of the summary say so" figures_are_flagged
check "ranks that lose events at different times" lossy 10 60
check "have that rate, too" rate_is_of_what_was_recorded
check "and gaps of their own" gap_is_not_recorded
check "what one of them lacks is no failed check" no_check_fails
if [ -n "$MPICC_MPICH" ]; then
	launcher=mpirun.mpich room=192K	# it reads more as it starts
	"$MPICC_MPICH" -w -O2 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/lost_load.c" || exit 99
	check "MPICH: spools that are too small" lossy 20 20
	check "MPICH: the rate is that of the recorded part" rate_is_of_what_was_recorded
	check "MPICH: the rest is not recorded" gap_is_not_recorded
	check "MPICH: figures say so" figures_are_flagged
fi
parts_add_up
plan
