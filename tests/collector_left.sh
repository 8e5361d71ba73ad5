#!/bin/sh
# Calls that never return, as they are left by siglongjmp, an exception or a cancelled thread: what
# follows is not inside of them. Calls in a handler or a coroutine meanwhile are.
. "$top_srcdir/tests/collector_common.sh"
echo 1..7

${CC:-cc} -w -O1 -o "$tmp/left_load" "$top_srcdir/tests/unit/left_load.c" -lpthread
# depths RUN CALL: of these calls of all threads, with how many there are
depths()
{
	"$dump" "$1"/spool/* | sed -n "s/.* depth=\([0-9]*\) $2 .*/\1/p" | sort | uniq -c |
		awk '{ printf "%s%d at %d", (NR > 1) ? ", " : "", $1, $2 }'
}

# left WAY EXPECTED: depths of its writes
left()
{
	(cd "$tmp" && record "$tmp/$1" ./left_load "$1") && same "$(depths "$tmp/$1" write)" "$2"
}

ok "siglongjmp out of read() 1,000 times" left jump "101 at 0"
ok "and out of a handler with a stack of its own" left jump_other_stack "101 at 0"
ok "a handler with a stack of its own that returns is inside the call" left nest "1 at 0, 1 at 1"
ok "so is a coroutine that a handler switches to" left coroutines "1 at 0, 2 at 1"
ok "clean-ups of a cancelled thread are outside of the call" left cancel "2 at 0"

# thrown MPICC: calls of a program with an error handler that throws
thrown()
{
	(cd "$tmp" && "$1" -x c++ -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -O1 -o throw "$top_srcdir/tests/unit/left_throw.cpp" -lstdc++ &&
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 record "$tmp/thrown.run" ./throw) &&
		same "$(depths "$tmp/thrown.run" MPI_Send), $(depths "$tmp/thrown.run" MPI_Sendrecv), $(
			"$dump" "$tmp"/thrown.run/spool/* | grep -c ' depth=0 write .* 11$')" \
			"100 at 0, 1 at 0, 100"
}
for mpi in "Open MPI:$MPICC_OPENMPI" "MPICH:$MPICC_MPICH"; do
	if [ -n "${mpi#*:}" ] && command -v c++ >/dev/null; then
		ok "${mpi%%:*}: an error handler throws 100 times" thrown "${mpi#*:}"
		rm -rf "$tmp/thrown.run"
	else
		skip "${mpi%%:*}: an error handler throws 100 times" "no ${mpi%%:*} or no C++ compiler"
	fi
done
