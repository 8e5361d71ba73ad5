#!/bin/sh
# Efficiencies of a run within a budget are those of all its steps, as the program itself has timed them, though the steps
# in detail are others than most. So is the split of communication into serialisation and transfer.
. "$top_srcdir/tests/e2e/lib.sh"

export OMPI_MCA_mpi_yield_when_idle=1
head -c 4096 /dev/zero >data
steps=250

# record MPI BUDGET
record() {
	rm -rf run && mkdir run || return 1
	TACHO_DIR=$PWD/run TACHO_MAX_SIZE=$2 LD_PRELOAD=$library timeout 200 "mpirun.$1" -n 2 "./load.$1" data $steps >timed &&
	"$tacho" -q merge run && "$tacho" -q analyze run
}

not_in_detail="select 1 from host_time h where h.window = 'step:' || s.n and h.state = 'not_in_detail' and h.ns > 0"

# Communication efficiency, load balance, parallel, serialisation and transfer efficiency by the program's clock.
timed() {
	awk '{ whole += $5; ideal += $4; outside[0] += $2; outside[1] += $3 }
		END { most = outside[outside[0] < outside[1]] / whole; mean = (outside[0] + outside[1]) / 2 / whole
			print most, mean / most, mean, most * whole / ideal, ideal / whole }' timed
}

shown() {
	query "select value from metric where window = 'phase:train' and model = 'mpi' and name like '%\_efficiency' escape '\'
		or window = 'phase:train' and model = 'mpi' and name = 'load_balance' order by name" | tr '\n' ' '
}

as_timed() {
	{ shown; echo; timed; } | awk '{ print } NR == 1 { split($0, is) }
		NR == 2 { for (i = 1; i <= 5; i++) {
			most = i <= 3 ? 0.02 : 0.06 # what ranks wait in turns is that of few steps
			if ($i <= 0 || is[i] < $i - most || is[i] > $i + most) bad = 1 } }
		END { exit bad || NR != 2 }'
}

# Rank 0 has the most work in all, and rank 1 in the last third.
is_unlike() {
	awk '{ late = NR > 170; for (r = 0; r < 2; r++) { own[r, late] += $(2 + r); all[r] += $(2 + r) } }
		END { print all[0], all[1], own[0, 1], own[1, 1]; exit !(all[0] > all[1] && own[0, 1] < own[1, 1]) }' timed
}

is_bounded() {
	query "select count(*) from step s where exists ($not_in_detail)"
	same "$(query "select count(*) > $steps from step s where exists ($not_in_detail)")" 1 &&
	same "$(query "select name, flag is not null from metric where window = 'phase:train' and model = 'mpi' order by 1" | tr '\n' ' ')" \
		"communication_efficiency|0 ideal_network_runtime|1 load_balance|0 parallel_efficiency|0 serialisation_efficiency|1 transfer_efficiency|1 "
}

# A step of which one rank has no records has no figures.
steps_have_none() {
	same "$(query "select count(*) from metric m where m.model in ('mpi', 'host') and m.window in (select 'step:' || n from step s
		where exists ($not_in_detail))")" 0 &&
	same "$(query "select count(*) > 3 from metric m where m.name = 'parallel_efficiency' and m.window like 'step:%'")" 1
}

for mpi in openmpi mpich; do
	command -v mpicc.$mpi >/dev/null || continue
	mpicc.$mpi -w -O2 -I"$top_srcdir/include" -o load.$mpi "$top_srcdir/tests/e2e/efficiency_load.c" || exit 99
	check "$mpi: a run is recorded in full" record $mpi 0
	check "$mpi: its efficiencies are those that it has timed" as_timed
	check "$mpi: and within a budget" record $mpi 256K
	check "$mpi: most of it is not in detail, which its figures say" is_bounded
	check "$mpi: the steps before are unlike them" is_unlike
	check "$mpi: its efficiencies are those of all steps" as_timed
	check "$mpi: steps that are not in detail have none" steps_have_none
	check "$mpi: no check fails" same "$(query "select name || ': ' || message from checks where not ok")" ""
done
[ $ntests -gt 0 ] || skip_all "neither Open MPI nor MPICH is installed"
plan
