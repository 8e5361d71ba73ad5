#!/bin/sh
# Short calls that follow each other take next to no room, and all of them count, with their time.
. "$top_srcdir/tests/e2e/lib.sh"

command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
${CC:-cc} -O2 -o load "$top_srcdir/tests/e2e/folds_load.c" -lpthread || exit 99

# of class wait (MPI's with `mpi`) as the program prints them
counts() {
	query "select replace(c.name, ' (timed out)', '') || ' ' || sum(c.calls) from call c join process p on p.id = c.process_id
		where c.class = '$1' and coalesce(p.rank, 0) = 0 and replace(c.name, ' (timed out)', '') in ($2)
		group by replace(c.name, ' (timed out)', '') order by 1" "$3"
}
waits="'epoll_wait', 'poll', 'pthread_cond_broadcast', 'pthread_cond_signal'"

check "a program that polls is recorded" sh -c '"$0" -q record --all --keep-spools -o run -- ./load >truth' "$tacho"
check "all its calls count" same "$(counts wait "$waits" run)" "$(cat truth)"
check "and their time: states and calls sum to the same" same "$(query "select (select total(ns) from host_time where window = 'run'
	and state = 'wait') - (select sum(total_ns) from call where class = 'wait' and name not in ('pthread_cond_broadcast',
	'pthread_cond_signal', 'sem_post'))")" 0.0
check "the least is not above the mean, nor that above the most" same "$(query "select count(*) from call where class = 'wait'
	and not (min_ns <= total_ns / calls and total_ns / calls <= max_ns)")" 0
check "no check of the analysis fails, and nothing is lost" same "$(query "select (select count(*) from checks where not ok)
	+ (select total(count) from loss)")" 0.0
check "they take a few bytes each" [ "$(cat run/spool/*/thread.0 | wc -c)" -lt 1000000 ]

# 40 KB in more than a second
check "a program that makes few calls is recorded" "$tacho" -q record --all --keep-spools -o slow -- ./load slow
check "no more room is taken ahead than it fills in some seconds" [ "$(cat slow/spool/*/thread.0 | wc -c)" -lt 200000 ]
check "all its calls count" same "$(query "select sum(calls) from call where name = 'usleep'" slow)" 1200

check "a program that wakes nobody between calls of I/O is recorded" sh -c '"$0" -q record --all --keep-spools -o io -- ./load io >truth' "$tacho"
check "all its wakes count" same "$(counts wait "'pthread_cond_signal'" io)" "$(cat truth)"
check "and their time: states and calls sum to the same" same "$(query "select (select total(ns) from host_time where window = 'run'
	and state = 'wait') - (select total(total_ns) from call where class = 'wait' and name = 'pthread_join')" io)" 0.0
"$top_builddir/tests/unit/spool_dump" io/spool/* >dump
check "nearly all are summed though calls on files and paths came between" [ "$(grep -c '^[a-z]* depth=0 pthread_cond_signal' dump)" -lt 6000 ]
woken=$(sed -n 's/^sync depth=0 pthread_cond_wait a=1 .* //p' dump | sort -u)
check "but each that somebody waited for is known singly" same "$(grep -c "^sync depth=0 pthread_cond_signal a=2 .* $woken\$" dump)" 200
check "no check of the analysis fails, and nothing is lost" same "$(query "select (select count(*) from checks where not ok)
	+ (select total(count) from loss)" io)" 0.0

# files_of RUN: calls of I/O, then of each file opens, reads, writes and bytes, as the program prints them
files_of() {
	query "select replace(name, '64', '') as what, sum(calls) from call where what in ('close', 'fstat', 'lseek', 'open', 'read', 'stat',
		'unlink', 'write') group by what order by what" "$1" | tr '|' ' '
	query "select substr(path, -3) || ' ' || opens || ' ' || reads || ' ' || writes || ' ' || bytes_read || ' ' || bytes_written
		from io_file where path like '%/one' or path like '%/two' order by 1" "$1"
}
for how in killed ''; do
	run=files$how
	sh -c '"$0" -q record --all --keep-spools -o "$1" -- ./load files $2 >truth' "$tacho" $run $how
	check "a program${how:+ that is killed} has all its calls on files, and their bytes" same "$(files_of $run)" "$(cat truth)"
done
check "the most and least bytes of a call are right, and that files are read on" same "$(query "select substr(path, -3), min_access, max_access
	from io_file where path like '%/one' or path like '%/two' order by path" files)" 'one|1|100000
two|10|10'
check "no check of the analysis fails, and nothing is lost" same "$(query "select (select count(*) from checks where not ok)
	+ (select total(count) from loss)" files)" 0.0
# a word or two each; a handler's call, which is within another or between two, takes up to 16
seeks=$(awk '$1 == "close" { n = $2 } $1 == "lseek" { print $2 - n }' truth)
bytes=$(LC_ALL=C tr '\0\n' '  ' <"$(echo files/spool/*/thread.0)" | sed 's/ *$//' | wc -c)
check "they take a word or two each" [ "$bytes" -lt $((16 * $(query "select sum(calls) from call" files) + 128 * seeks + 8192)) ]

sh -c '"$0" -q record --all -o killed -- ./load kill >truth' "$tacho"
check "a killed program loses none" same "$(counts wait "$waits" killed)" "$(cat truth)"

if [ -n "$MPICC_OPENMPI" ] && "$MPICC_OPENMPI" -O2 -o polls "$top_srcdir/tests/e2e/folds_mpi.c"; then
	check "ranks that poll are recorded" sh -c '"$0" -q record --keep-spools -o mpi -- mpirun -n 2 ./polls >truth' "$tacho"
	check "their tests and probes count" same "$(counts mpi "'MPI_Barrier', 'MPI_Iprobe', 'MPI_Irecv', 'MPI_Recv', 'MPI_Test'" mpi)" "$(cat truth)"
	check "messages have their partners" same "$(query "select (select count(*) from unmatched)
		+ (select count(*) from checks where not ok)" mpi)" 0
else
	echo "# Open MPI is not installed: nothing is tested of it"
fi
plan
