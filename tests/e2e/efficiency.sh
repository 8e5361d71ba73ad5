#!/bin/sh
# Efficiencies of a run within a budget are those of its steps in detail, as the program itself has timed
# them: what only totals are known of is in neither side of a quotient.
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

# Communication, serialisation and transfer efficiency by the program's clock, of the steps that the rank with the
# most work has in detail. One that the other lacks has no partner, and takes without a network what it took.
timed() {
	query "select n, group_concat(rank) from (select n, rank from step s join process p on p.id = s.process_id
		where not exists ($not_in_detail and h.process_id = s.process_id)) group by n" | tr '|' ' ' |
		awk 'NR == FNR { detail[$1] = $2; next }
			{ for (r = 0; r < 2; r++) if (index(detail[$1], r) > 0) { own[r] += $(2 + r); all[r] += $5
				ideal[r] += index(detail[$1], 1 - r) ? $4 : $5 } }
			END { m = own[0] / all[0] < own[1] / all[1]; print own[m] / all[m], own[m] / ideal[m], ideal[m] / all[m] }' - timed
}

shown() {
	query "select value from metric where window = 'phase:train' and model = 'mpi' and name in ('communication_efficiency',
		'serialisation_efficiency', 'transfer_efficiency') order by name" | tr '\n' ' '
}

as_timed() {
	{ shown; echo; timed; } | awk '{ print } NR == 1 { split($0, is) }
		NR == 2 { for (i = 1; i <= 3; i++) if ($i <= 0 || is[i] < $i - 0.04 || is[i] > $i + 0.04) bad = 1 }
		END { exit bad || NR != 2 }'
}

is_bounded() {
	query "select count(*) from step s where exists ($not_in_detail)"
	same "$(query "select count(*) > $steps from step s where exists ($not_in_detail)")" 1 &&
	same "$(query "select count(*) from metric where window = 'phase:train' and model = 'mpi' and flag is null")" 0
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
	check "$mpi: its efficiencies are those of the steps in detail" as_timed
	check "$mpi: steps that are not in detail have none" steps_have_none
	check "$mpi: no check fails" same "$(query "select name || ': ' || message from checks where not ok")" ""
done
[ $ntests -gt 0 ] || skip_all "neither Open MPI nor MPICH is installed"
plan
