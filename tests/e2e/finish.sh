#!/bin/sh
# A job step that is killed right after its end (a limit of time): one command goes on from what is there.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
"$MPICC_OPENMPI" -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/watch_load.c" || exit 99

# Ranks 1 and 2 do not end before `more` is there, when $later is set.
cat >rank <<-'END'
	./load 20 1 20000
	[ -n "$later" ] && [ "$OMPI_COMM_WORLD_RANK" != 0 ] || exit 0
	: >"through.$OMPI_COMM_WORLD_RANK"
	until [ -e more ]; do sleep 0.05; done
END

# With this in front a merge stays where its archive is written and not yet in its place.
cat >stay.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <fcntl.h>
	#include <stdio.h>
	#include <string.h>
	#include <unistd.h>
	int rename(const char *from, const char *to)
	{
		int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");

		while (strstr(from, "/trace.tmp"))
			close(creat("merged", 0600)), pause();
		return real(from, to);
	}
END
${CC:-cc} -w -shared -fPIC -o stay.so stay.c -ldl || exit 99

# tachos: those of the step's ranks; other tests have their own.
tachos() {
	pgrep -s "$group" -f "record -o $name "
}

# step RUN CONDITION PRELOAD OPTION…: three ranks, each under a tacho of its own; all are killed when the condition holds.
step() {
	name=$1 condition=$2 preload=$3
	shift 3
	setsid mpirun.openmpi -n 3 env LD_PRELOAD="$preload" "$tacho" -q record -o "$name" "$@" -- sh ./rank >out 2>&1 &
	group=$!
	until $condition || ! kill -0 "$group" 2>/dev/null; do sleep 0.01; done
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

step merging "test -e merged" ./stay.so
check "killed while it merges" test -e merging/trace.tmp
timeout 100 "$tacho" finish merging 2>said
check "one command goes on" grep -q '^merging: 3 ranks' said
check "and finds everything" whole merging
timeout 100 "$tacho" finish merging >said 2>&1
check "where nothing is missing it shows the summary" grep -q '^merging: 3 ranks' said

mkdir local
later=yes
export later
# Rank 0 has ended, and so has the program of the others.
first_has_ended() {
	[ -e through.1 ] && [ -e through.2 ] && [ -n "$(find apart/ranks -name '*.done' 2>/dev/null)" ]
}
step apart first_has_ended "" --spool local
: >more
for i in $(seq 600); do
	pgrep -s "$group" -f "sh ./rank" >/dev/null || break
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
