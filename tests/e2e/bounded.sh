#!/bin/sh
# A run within a budget: the last events, the slowest steps and a sample of all are in detail, and of all
# there are exact totals, also after a kill; what is not in detail is no work.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
"$MPICC_OPENMPI" -w -O2 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/bounded_load.c" || exit 99
head -c 4096 /dev/zero >data
budget=3072 # KiB
export OMPI_MCA_mpi_yield_when_idle=1
steps=2200
slow=300

# record ARGUMENT…: by environment alone, so that the spools stay; `most` is what they took at most.
record() {
	rm -rf run && mkdir run || return 1
	(TACHO_DIR=$PWD/run TACHO_MAX_SIZE=${budget}K LD_PRELOAD=$library timeout 600 mpirun.openmpi -n 2 ./load data "$@" \
		>expected 2>said; echo $? >status) &
	most=0
	while kill -0 $! 2>/dev/null; do
		now=$(du -sk run/spool 2>/dev/null | cut -f 1)
		[ "${now:-0}" -gt $most ] && most=$now
		sleep 0.1
	done
	now=$(du -sk run/spool | cut -f 1)
	[ "$now" -gt $most ] && most=$now
	echo $most >most
	echo "$now" >now
	sort -o expected expected
}

figures() {
	"$tacho" -q merge run && "$tacho" -q analyze run
}

# column N of what the ranks print
expected() {
	cut -d ' ' -f "$1" expected
}

# calls COLUMN NAME: of both ranks
calls() {
	query "select $1 from call c join process p on p.id = c.process_id where c.name = '$2' order by rank"
}

recorded() {
	record $steps $slow && same "$(cat status)" 0 && figures
}

in_budget() {
	echo "$(cat most) KiB at most, $(cat now) at the end, of $budget"
	# du reads one file after the other: what moves between them meanwhile may count twice
	[ "$(cat most)" -gt $((budget / 2)) ] && [ "$(cat most)" -le $((budget + budget / 2)) ] &&
	[ "$(cat now)" -le $((budget + budget / 20)) ]
}

totals_are_exact() {
	same "$(calls calls pread)" "$(expected 2)" && same "$(calls bytes_received pread)" "$(expected 3)" &&
	same "$(calls calls MPI_Isend)" "$(expected 4)" && same "$(calls bytes_sent MPI_Isend)" "$(expected 5)" &&
	same "$(calls bytes_received MPI_Waitall)" "$(expected 5)" &&
	same "$(calls calls MPI_Allreduce)" "$(expected 6)" &&
	same "$(query "select sum(steps) from step_all group by process_id")" "$(expected 6)" &&
	same "$(query "select count(*) from phase where name = 'validate' group by process_id" | sort -u)" $((steps / 50)) &&
	# what calls outside of the detail have read is no bypass
	same "$(query "select count(*) from metric where name = 'unseen_read_bytes' and value is not null")" 0
}

# The time slept, in calls and as a state, as the program has measured it. Where it was several times as long as asked
# for the machine was busy, and it may have had no core between the call and its look at the clock.
times_are() {
	calls total_ns nanosleep >slept
	query "select cast(value as integer) from metric where model = 'exact' and name = 'wait' order by subject" >states
	expected 7 | paste - slept states | awk '{ print; least = $1 < 1.5e9 ? 0.99 : 0.9
		if ($2 < least * $1 || $2 > 1.01 * $1 || $3 < least * $1) bad = 1 }
		END { exit bad || NR != 2 }'
}

# The states of the totals sum to the time that is recorded.
states_sum() {
	query "select sum(h.ns) filter (where state <> 'absent') - (select sum(value) from metric where model = 'exact')
		from host_time h where window = 'run'" | awk '{ print; exit !($1 > -1e6 && $1 < 1e6) }'
}

detail_is_the_last() {
	same "$(query "select count(*) from (select subject from metric where model = 'quality' and name = 'not_in_detail'
		and window = 'run' and value > 0)")" 2 &&
	# a message received in detail has its sender there
	same "$(query "select count(*) from unmatched")" 0 &&
	same "$(query "select count(*) from checks where not ok")" 0 &&
	[ "$(query "select count(*) from collective where op = 'allreduce'")" -lt $steps ] &&
	same "$(in_detail "n >= $((steps - 3))")" 6 &&
	same "$(query "select count(*) from step where n = $slow and end_ns - start_ns >= 150e6")" 2 &&	# the other rank may begin it late
	same "$(query "select count(*) from step")" $((2 * steps)) && [ "$(in_detail 1)" -lt $((2 * steps)) ]
}

# in_detail CONDITION: how many steps of both ranks are, all of each.
in_detail() {
	query "select count(*) from step s where ($1) and exists (select 1 from host_time h where h.process_id = s.process_id
		and h.window = 'step:' || s.n and h.state = 'mpi' and h.ns > 0) and not exists (select 1 from host_time h
		where h.process_id = s.process_id and h.window = 'step:' || s.n and h.state = 'not_in_detail' and h.ns > 0)"
}

# The slowest steps of each rank; the one that was made slow is among them, unless the machine made others as slow.
slowest_are_kept() {
	of="select n from step k where k.process_id = s.process_id order by end_ns - start_ns desc, n limit"
	query "select process_id, n, (end_ns - start_ns) / 1000000 from step s where n in ($of 6) order by 1, 3"
	same "$(in_detail "n in ($of 6)")" 12 &&
	same "$(in_detail "n = $slow or n not in ($of 6)")" "$(in_detail 1 | awk '{ print $1 - 10 }')" ||
	same "$(query "select count(*) > 5 from step where end_ns - start_ns >= 200e6 and n <> $slow")" 1
}

# Every so many-th, the same on both ranks.
sample_is_kept() {
	same "$(in_detail "n = 0")" 2 && [ "$(in_detail "n between 1 and $((steps / 2)) and n % 512 = 0")" -ge 2 ]
}

summary_says() {
	"$tacho" report -s run >summary && cat summary &&
	grep -q '^ .* in detail$' summary && grep -q "is in detail (--max-size ${budget}K), of the rest there are" summary && grep -q "have no partner" summary && ! grep -q "threads without work" summary &&
	grep -q "$(printf "%'d" $steps | sed 's/^\(.\)\(...\)$/\1,\2/') steps" summary
}

# Killed in a late step: all that had finished is there.
killed() {
	record $steps -1 $((steps - 5))
	figures || return 1
	same "$(calls calls pread)" "$(printf '%d\n%d' $(((steps - 4) * 40 + (steps - 5) / 50 * 10)) \
		$(((steps - 4) * 40 + (steps - 5) / 50 * 10)))" &&
	same "$(calls calls MPI_Allreduce | head -n 1)" $((steps - 5)) &&
	same "$(query "select count(*) from loss")" 0 &&
	"$tacho" where run >where && cat where && grep -q "^MPI_COMM_WORLD .* $((steps - 5)) " where
}

# As fast as calls can be made: who makes them gives up what the library's thread has no time for.
busy() {
	record 20 -1 -1 1500000 && same "$(cat status)" 0 && figures || return 1
	same "$(calls calls MPI_Comm_rank)" "$(printf '%d\n%d' 1500001 1500001)" &&
	same "$(query "select count(*) from loss")" 0 || return 1
	echo "$(cat most) KiB at most, $(cat now) at the end, of $budget"
	[ "$(cat now)" -le $((budget + budget / 20)) ]
}

# Killed, so that nothing was given back at the end. Counters go on for as long as the run takes.
# Short of the records at which the next chunk is made ahead.
small() {
	budget=4194304
	record 25 -1 20 && with=$(cat now) && budget=0 && record 25 -1 20 && without=$(cat now) || return 1
	echo "$with KiB, $without without a budget"
	[ "$with" -le $((without + 1024)) ]
}

long_rank() {
	OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=$1 OMPI_COMM_WORLD_LOCAL_SIZE=2 \
		TACHO_DIR=$PWD/run TACHO_MAX_SIZE=1M/rank LD_PRELOAD=$library timeout 100 ./long data run 6000 >"looks $1"
}

long_steps() {
	query "select process_id, sum(steps), sum(samples), sum(ns) from step_all group by process_id"
}

# More steps than their list holds, on two ranks. How much a core that a busy machine did not give would have saved is
# no matter here.
long() {
	"$MPICC_OPENMPI" -w -O2 -I"$top_srcdir/include" -o long "$top_srcdir/tests/bench/long_load.c" || return 1
	rm -rf run && mkdir run || return 1
	long_rank 1 &
	long_rank 0 && wait $! && figures || return 1
	cat "looks 0"
	# from the fourth look on: the library's thread may just have a file open
	awk 'NF == 6 && ++n == 4 { memory = $3; fds = $4 }
		NF == 6 && n > 4 && ($3 > memory + 1024 || $4 > fds + 2) { bad = 1 }
		END { exit bad || n != 10 }' "looks 0" &&
	[ "$(du -sk run/spool | cut -f 1)" -le 2150 ] && same "$(find run/spool -type f | wc -l)" 13 &&
	same "$(calls calls pread)" "$(printf '%d\n%d' 240060 240060)" &&
	same "$(calls calls poll)" "$(printf '%d\n%d' 120000 120000)" &&
	same "$(long_steps | cut -d '|' -f 1-3)" "$(printf '%s\n' '1|6000|48000' '2|6000|48000')" &&
	same "$(query "select count(*) from loss")" 0 &&
	same "$(query "select name || ': ' || message from checks where not ok")" "" || return 1
	all=$(long_steps)
	"$tacho" -q analyze -j 2 run && same "$(long_steps)" "$all" && "$tacho" -q analyze -j 1 run && same "$(long_steps)" "$all"
}

# Children that end, of more bytes than the budget: the first of them are in totals of all.
children() {
	rm -rf run && mkdir run || return 1
	TACHO_DIR=$PWD/run TACHO_MAX_SIZE=2M LD_PRELOAD=$library timeout 100 ./long data run 2000 0 60 >looks || return 1
	cat looks
	kib=$(du -sk run/spool | cut -f 1) folders=$(find run/spool -type d -name '*.*.*' | wc -l)
	figures || return 1
	summed=$(query "select value from environment where key = 'ended_children'")
	there=$(query "select count(*) from process where parent_id is not null")
	echo "$kib KiB, $folders folders, $there children, $summed summed"
	# the totals, and each child that has a folder or a slot: 120 in all, of which the last 60 may have ended with it
	[ "$kib" -le 2150 -o "$folders" -le 62 ] && same $((there - 1 + summed)) 120 && [ "$summed" -ge 60 ] &&
	same "$(query "select sum(calls), sum(bytes_received) from call where name = 'pread'")" "84820|$((84820 * 4096))" &&
	same "$(query "select sum(calls), sum(bytes_received) from call c join process p on p.id = c.process_id
		where c.name = 'pread' and parent_id is null")" "80020|$((80020 * 4096))" &&
	same "$(query "select count(*) from loss")" 0 &&
	same "$(query "select name || ': ' || message from checks where not ok")" ""
}

# Killed once children are in totals, with 3 s of samples: what the library wrote in these children is in no sample, and
# no call of the program that it does not see.
children_killed() {
	rm -rf run && mkdir run && gcc -O1 -w -I"$top_srcdir/include" -o ends "$top_srcdir/tests/e2e/children_load.c" -lpthread || return 1
	(TACHO_DIR=$PWD/run TACHO_MAX_SIZE=2M LD_PRELOAD=$library exec ./ends more 100000 >/dev/null) &
	pid=$! looks=0
	until [ $looks -ge 30 ] && [ -n "$(find run/spool -name totals.0)" ] || [ $looks -ge 600 ]; do
		sleep 0.1
		looks=$((looks + 1))
	done
	kill -KILL $pid
	wait $pid
	rm -f out
	"$tacho" -q merge run && "$tacho" -q analyze run || return 1
	query "select key, value from environment where key = 'ended_children'"
	same "$(query "select value > 0 from environment where key = 'ended_children'")" 1 &&
	same "$(query "select * from not_recorded where kind = 'bytes'")" "" &&
	same "$(query "select name, value, flag is not null from metric where name like 'unseen%' order by name" | tr '\n' ' ')" \
		"unseen_read_bytes||1 unseen_write_bytes||1 "
}

# many BUDGET HOW N: most bytes are those at the end, as nothing but what has ended gives way.
many() {
	rm -rf run && mkdir run && gcc -O1 -w -I"$top_srcdir/include" -o many "$top_srcdir/tests/e2e/many_load.c" -lpthread || return 1
	TACHO_DIR=$PWD/run TACHO_MAX_SIZE=${1}K LD_PRELOAD=$library timeout 100 ./many "$2" "$3" || return 1
	kib=$(du -sk run/spool | cut -f 1)
	echo "$kib KiB of $1 in $(find run/spool -type f | wc -l) files"
	[ "$kib" -le $(($1 + $1 / 20)) ] && figures
}

# 8 KiB for each were eight times the budget. Those that marked regions are added likewise.
threads_end() {
	many 1024 "$1" 1000 || return 1
	same "$(query "select sum(calls), sum(bytes_received) from call where name = 'pread'")" "1000|10000" &&
	same "$(query "select count(*) from loss")" 0 &&
	same "$(query "select count(*) + (select value from environment where key = 'ended_threads') from location
		where kind = 'cpu_thread' and not is_main and name not like 'ended threads%'")" 1000 &&
	same "$(query "select name || ': ' || message from checks where not ok")" ""
}

# 40 bytes a name make three times their part.
names_end() {
	many 1024 names 20000 || return 1
	same "$(query "select sum(calls), sum(bytes_sent) from call where name = 'write'")" "20000|200000" &&
	[ "$(du -k run/spool/*/process | cut -f 1)" -le 341 ] &&
	same "$(query "select kind, reason, count > 6000 from not_recorded")" "name|no_name|1" &&
	same "$(query "select count(*) from io_file where path = '(other files)' and bytes_written > 0")" 1 &&
	"$tacho" report -s run >summary && cat summary && ! grep -q 'events* lost (' summary && ! grep -q 'events were lost' summary &&
	grep -q 'names of files and functions had no room' summary
}

# What is read from a pipe is waited for, in detail or not, and who signals does not wait: state wait is what read() took.
pipe() {
	gcc -O1 -w -I"$top_srcdir/include" -o pipes "$top_srcdir/tests/e2e/pipe_load.c" -lpthread || return 1
	for size in 0 128K; do
		rm -rf run && mkdir run && TACHO_DIR=$PWD/run TACHO_MAX_SIZE=$size LD_PRELOAD=$library timeout 100 ./pipes data 1000 &&
			figures || return 1
		query "select coalesce((select value from metric where model = 'exact' and name = 'wait'),
				(select ns from host_time where window = 'run' and process_id = 1 and state = 'wait')),
			(select total_ns from call where name = 'read' and process_id = 1 and calls = 1000),
			(select total(value) from metric where name = 'not_in_detail' and window = 'run')"
	done >waited
	cat waited
	awk -F '|' 'NF < 3 { next } { detail[++n] = $3 } $2 <= 0 || $1 < 0.999 * $2 || $1 > 1.001 * $2 { bad = 1 }
		END { exit bad || n != 2 || detail[1] || detail[2] < 0.5e9 }' waited
}

# With --keep-last the end alone, however large the budget: no step that began within that time of the end is without
# detail, and of those that ended before, no more are in detail than lie in one chunk of 128 KiB, 0.7 KiB a step, but
# for the slowest and the sample.
keep_last() {
	rm -rf run && mkdir run || return 1
	TACHO_DIR=$PWD/run TACHO_MAX_SIZE=16M TACHO_KEEP_LAST=0.3s LD_PRELOAD=$library timeout 100 ./long data run 3000 350 >looks &&
	figures || return 1
	last=$(query "select max(cast(substr(window, 6) as integer)) from host_time where window like 'step:%'
		and state = 'not_in_detail' and ns > 0")
	before="end_ns < (select max(end_ns) from step) - 0.3e9"
	query "select 'without detail up to step $last of 3000, ' || (select count(*) from step where $before) || ' before, of which '
		|| (select count(*) from step where $before and n > $last) || ' in detail at the end'"
	same "$(query "select s.start_ns < p.end_ns - 0.3e9 from step s, process p where n = $last")" 1 &&
	same "$(query "select count(*) <= 250 from step where $before and n > $last")" 1 &&
	same "$(query "select count(*) > 1000 from step where $before")" 1 &&
	same "$(query "select count(*) >= 10 from step s where n < $last and not exists (select 1 from host_time h
		where h.window = 'step:' || s.n and h.state = 'not_in_detail' and h.ns > 0)")" 1 && same "$(query "select count(*) from step")" 3000
}

# 2 s, in which counters are read 100 times a second; with a small budget ever less often.
counters_of() {
	mkdir "$1" && TACHO_DIR=$PWD/$1 TACHO_MAX_SIZE=$1 TACHO_SAMPLE_HZ=100 LD_PRELOAD=$library \
		timeout 100 ./long data "$1" 20 100000 >/dev/null
}

counters() {
	counters_of 8K &
	counters_of 1G && wait $! && "$tacho" -q merge 8K && "$tacho" -q analyze 8K || return 1
	few=$(cat 8K/spool/*/thread.1 | tr -d '\0' | wc -c) && many=$(cat 1G/spool/*/thread.1 | tr -d '\0' | wc -c)
	echo "$few bytes, $many in a large budget"
	# fewer, and the library's thread had no core to read them
	[ "$many" -lt 1500 ] || [ $((3 * few)) -le $((2 * many)) ] &&
	same "$(query "select sum(steps) from step_all" 8K)" 20 &&
	same "$(query "select count(*) > 0 from sample" 8K)" 1
}

check "a run of more events than its budget" recorded
check "keeps to it" in_budget
check "has exact numbers of calls, bytes, steps and phases" totals_are_exact
check "and times" times_are
check "states of the totals are all of the time" states_sum
check "the end is in detail, and not all before" detail_is_the_last
check "the slowest steps are in detail" slowest_are_kept
check "a sample of all is in detail" sample_is_kept
check "steps of the timeline are in detail" same "$(query "select count(*) > 1, sum((select sum(ns) from host_time h
	where h.window = 'step:' || w.step and h.state = 'not_in_detail')) from timeline_window w")" "1|"
check "the summary says so" summary_says
check "a rank that is killed loses nothing" killed
check "a rank that does nothing but call loses nothing, and keeps to it" busy
check "a long one keeps memory, files and descriptors, and the number of its steps" long
check "children that end are in totals rather than fill it" children
check "where they are and their parent is killed, no bytes are said to bypass the calls" children_killed
check "threads that end are in totals rather than fill it" threads_end threads
check "so are those that marked a region" threads_end marked
check "names have a part of it, and what is done beyond stays exact" names_end
check "reads of a pipe are waits, in detail or not" pipe
check "the last seconds alone are in detail where that is asked for" keep_last
check "counters are read less often rather than fill it" counters
check "a small run is as small as without a budget" small
plan
