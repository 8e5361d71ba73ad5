#!/bin/sh
# Capture limits: exactly the calls of the chosen steps and ranks, whole definitions, figures about
# that part.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
"$MPICC_OPENMPI" -O2 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/capture_load.c" ||
	exit 99
echo text >input

# run NAME OPTIONS -- ARGUMENTS: two ranks of the load
run() {
	name=$1
	shift
	set -f
	options=
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	timeout 100 "$tacho" -q record -o "$name" $options -- mpirun -n 2 ./load input \
		"$@" >"$name.log" 2>&1
	status=$?
	set +f
	[ $status -eq 0 ] || sed 's/^/# /' "$name.log"
	return $status
}

# calls NAME RUN: of each rank
calls() {
	query "select group_concat(n, ' ') from (select coalesce(sum(c.calls), 0) as n from process p left join call c on
		c.process_id = p.id and c.name = '$1' where p.rank >= 0 group by p.rank order by p.rank)" "$2"
}

first_step() {
	query "select count(*) || ' ' || count(distinct n) from step" "$1"
}

# window_figures RUN STEPS: what is captured lasts as long as these steps, up to the next ones; how much of the run that
# is depends on how long the machine took to start it.
window_figures() {
	query "with s as (select n, start_ns, end_ns, lead(start_ns) over (partition by process_id order by n) as next from step)
		select (select value * (select sum(end_ns - start_ns) from process where rank is not null)
				between 0.95 * sum(end_ns - start_ns) and 1.05 * sum(next - start_ns)
			from metric, s where model = 'quality' and name = 'captured' and $2),
		(select max(value) <= 1.0000001 and min(value) > 0 from metric where window = 'run' and model in ('mpi', 'host')
			and unit = '1'), (select count(*) from checks where not ok)" "$1"
}

check "two ranks, steps 10 to 20" run steps --steps 10:20 -- 1
check "have the calls of 11 steps" same \
	"$(calls MPI_Bcast steps), $(calls MPI_Sendrecv steps)" "11 11, 11 11"
check "and one read of the file in each" same \
	"$(query "select group_concat(reads, ' ') from (select reads from io_file
	where path like '%/input' order by process_id)" steps)" "11 11"
check "all steps are in the trace" same "$(first_step steps)" "60 30"
check "one phase on each rank" same "$(query "select group_concat(name, ' ') from phase" steps)" "train train"
check "what was made before is known: bytes of the type" same \
	"$(query "select min(sent), max(sent) from (select
	max(bytes_sent) as sent from call where name = 'MPI_Bcast')" steps)" "88|88"
check "efficiencies are those of the captured part" same "$(window_figures steps "n between 10 and 20")" "1|1|0"
check "the steps that are pictured were captured" same "$(query "select min(step) >= 10 and max(step) <= 20 and exists (select 1 from
	timeline_step) from timeline_window" steps)" 1
says() {
	"$tacho" -q report steps && grep -q \
		"of the run was captured (steps 10:20)" steps/report.html &&
	"$tacho" info steps | grep -q "steps 10:20"
}
check "the report and tacho info say what was captured" says

check "3 of every 10 steps" run every --every 10 --for 3 -- 1
check "have the calls of 9 steps" same "$(calls MPI_Bcast every), $(calls MPI_Sendrecv every)" "9 9, 9 9"
check "every message has its partner" same "$(query "select count(*) from unmatched" every)" 0
check "efficiencies are those of the captured part" same "$(window_figures every "n % 10 < 3")" "1|1|0"

check "one rank of two" run ranks --ranks 1 -- 1
check "has all calls, the other none" same "$(calls MPI_Bcast ranks)" "0 30"
check "and no check fails for it" same "$(query "select count(*) from checks where not ok" ranks)" 0
check "no loss is reported" same "$(query "select count(*) from loss" ranks)" 0

check "from 0.5 s on" run after --start-after 0.5 -- 40
later() {
	n=$(query "select calls from call where name = 'MPI_Bcast' and process_id = 1" after)
	[ "$n" -ge 1 ] && same "$(calls MPI_Bcast after)" "$n $n" &&
	same "$(query "select value < 1 from metric where model = 'quality' and name = 'captured'" after)" 1
}
check "both ranks begin with the same step" later

# Ten messages are under way when the capture begins: their receives have no send in it, and the others have theirs.
late() {
	"$MPICC_OPENMPI" -O2 -o late_load "$top_srcdir/tests/e2e/capture_late.c" &&
	timeout 100 "$tacho" -q record -o late -- mpirun -n 2 ./late_load 250 >late.log 2>&1 || { cat late.log; return 1; }
	same "$(query "select count(*) from checks where not ok" late)" 0 &&
	same "$(query "select count(*) from unmatched" late)" 0 &&
	same "$(query "select name, sum(calls) from call where name in ('MPI_Recv', 'MPI_Send') group by name" late | tr '\n' ' ')" \
		"MPI_Recv|310 MPI_Send|300 "
}
check "a message under way when the capture begins is not taken for the next one" late

check "MPI_Pcontrol(0) in step 12, (1) in step 15" run control -- 1 control
check "ends the capture and begins it again" same "$(calls MPI_Bcast control)" "27 27"

check "a signal before step 10" run toggle --toggle SIGUSR2 -- 1 toggle
check "ends the capture, on both ranks with the same step" same "$(calls MPI_Bcast toggle)" "12 12"

check "paths that are left out" run paths --exclude-paths '*/input:/proc/*' -- 1
check "are no files of the run" same "$(query "select count(*) from io_file where path like '%input'" paths)" 0
check "other calls are" same "$(calls MPI_Bcast paths)" "30 30"

check "a call left by longjmp" run thrown -- 1 throw
check "does not hide what follows" same \
	"$(first_step thrown), $(calls MPI_Bcast thrown)" "60 30, 30 30"
check "and is over with the step" same "$(query "select sum(inside is not null) from location" thrown), $(query "select
	max(total_ns) <= (select max(end_ns - start_ns) from step where n = 2) from call where name = 'MPI_Send'" thrown)" "0, 1"

check "the cost of recording is measured, and a share of the run" same \
	"$(query "select value > 0 and value < 1 from metric
	where model = 'quality' and name = 'overhead'" paths)" 1
check "and of each call" same "$(query "select cast(value as real) between 1 and 100000 from environment
	where scope = '' and key = 'TACHO::CALL_COST_NS'" paths)" 1
plan
