#!/bin/sh
# A job step that is killed right after its end (a limit of time): one command goes on from what is there.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
"$MPICC_OPENMPI" -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/watch_load.c" || exit 99

# Ranks 1 and 2 do not end before `more` is opened for writing, when $later is set.
mkfifo more
cat >rank <<-'END'
	./load 20 1 20000
	[ -z "$later" ] || [ "$OMPI_COMM_WORLD_RANK" = 0 ] || read x <more
END

# tachos: those of the step's ranks; other tests have their own.
tachos() {
	pgrep -s "$group" -f "record -o $name "
}

# step RUN PATTERN OPTION…: three ranks, each under a tacho of its own; all are killed when PATTERN is there.
step() {
	name=$1 pattern=$2
	shift 2
	setsid mpirun.openmpi -n 3 "$tacho" -q record -o "$name" "$@" -- sh ./rank >out 2>&1 &
	group=$!
	for i in $(seq 6000); do
		[ -n "$(find $pattern 2>/dev/null)" ] && break
		kill -0 "$group" 2>/dev/null || break
		sleep 0.01
	done
	# mpirun, and its ranks: each has made a group of its own
	kill -KILL "$group" $(tachos) 2>/dev/null
	wait "$group" 2>/dev/null
	for i in $(seq 100); do
		[ -n "$(tachos)" ] || break
		sleep 0.1
	done
}

# whole RUN: everything that the three ranks did is in the database, and nothing is left over.
whole() {
	same "$(query "select count(*), sum(end = 'finished') from process where rank is not null" "$1") $(query \
		"select count(*) from step" "$1") $(query "select sum(calls) from call where name = 'MPI_Allreduce'" "$1")" \
		"3|3 60 60060" && [ -s "$1/report.html" ] && [ ! -e "$1/spool" ] && [ ! -e "$1/spool.merged" ] && [ ! -e "$1/trace.tmp" ]
}

# A quick merge may be over before anybody sees it.
for try in 1 2 3; do
	rm -rf merging
	step merging merging/trace.tmp
	[ -e merging/tacho.db ] || break
done
check "killed while it merges" test ! -e merging/tacho.db
timeout 100 "$tacho" finish merging 2>said
check "one command goes on" grep -q '^merging: 3 ranks' said
check "and finds everything" whole merging
timeout 100 "$tacho" finish merging >said 2>&1
check "where nothing is missing it shows the summary" grep -q '^merging: 3 ranks' said

mkdir local
later=yes
export later
step apart 'apart/ranks -name *.done' --spool local
for i in $(seq 10); do
	exec 3<>more 3>&-
	sleep 0.1
done
check "killed before spools on the node's disk were brought" test ! -e apart/trace
timeout 100 "$tacho" -q finish apart
check "it brings them" whole apart
check "and leaves none" same "$(ls local) $(ls apart | grep local)" " "

mkdir -p there/spool
printf 'elsewhere\n/tmp/spools\n' >there/local.2
"$tacho" finish there 2>said
check "of those on another node it says where they are" grep -q \
	'the spools of rank 2 are left in /tmp/spools of elsewhere: `tacho finish there` there brings them' said
plan
