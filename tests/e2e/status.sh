#!/bin/sh
# What tacho record says of a run while it waits for it: in the title of a terminal, never in between what
# the command prints.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "neither Open MPI nor MPICH is installed"
if [ -n "$MPICC_OPENMPI" ]; then mpicc=$MPICC_OPENMPI launcher=mpirun.openmpi; else mpicc=$MPICC_MPICH launcher=mpirun.mpich; fi
PYTHONPATH= /usr/bin/python3 -c 'import pty' 2>/dev/null || skip_all "no Python for a terminal"
"$mpicc" -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/watch_load.c" || exit 99

# A progress bar on the terminal while the load runs: of so many steps, none of 0, as that prints nothing.
cat >bar <<-END
	[ \$1 = 0 ] || $launcher -n 2 ./load \$1 20 0 &
	for i in 1 2 3 4 5 6 7 8 9; do
		printf '\\rstep %d of 9' \$i >&2
		sleep 0.1
	done
	wait
	printf '\\ndone\\n'
END

# on_terminal TERM COMMAND…: its output, from a terminal.
cat >terminal.py <<-'END'
	import os, pty, sys
	os.environ["TERM"] = sys.argv[1]
	pid, fd = pty.fork()
	if pid == 0:
	    os.execvp(sys.argv[2], sys.argv[2:])
	try:
	    while data := os.read(fd, 4096):
	        sys.stdout.buffer.write(data)
	except OSError:
	    pass
	sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
on_terminal() {
	PYTHONPATH= timeout 100 /usr/bin/python3 terminal.py "$@"
}

on_terminal xterm sh ./bar 0 >bare
on_terminal xterm "$tacho" record --no-merge -o run sh ./bar 250 >titled
status=$?
title=$(printf '\033]2;')
bell=$(printf '\007')
check "the command ends as it would" same "$status" 0
check "the title of a terminal says how the run goes on" grep -q "${title}run: 2 ranks.* steps/s .*$bell" titled
sed "s/$title[^$bell]*$bell//g; s/$(printf '\033')\[2[23];2t//g" titled >untitled
check "what the command prints is as without tacho" cmp bare untitled
on_terminal dumb "$tacho" record --no-merge -o dumb sh ./bar 0 >plain
check "a terminal without a title gets nothing" cmp bare plain
on_terminal xterm "$tacho" -q record --no-merge -o quiet sh ./bar 0 >plain
check "nor one under -q" cmp bare plain
timeout 100 "$tacho" record --no-merge --status 500ms -o lines "$launcher" -n 2 ./load 100 20 0 >out 2>err
check "lines are for who asks" grep -q '^tacho: lines: 2 ranks.* · step [0-9]* · ' err
plan
