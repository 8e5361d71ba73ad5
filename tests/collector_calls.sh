#!/bin/sh
# docs/calls.md has every system call that the library makes, and every function of libc that may
# make one; a program that is killed at any other call of the library's is recorded to its end.
. "$top_srcdir/tests/collector_common.sh"
page=$top_srcdir/docs/calls.md
tacho=$top_builddir/analyzer/tacho

# listed NUMBER: what stands in the first column of the page's table NUMBER
listed()
{
	awk -v n="$1" '/^\|---/ { table++ } table == n && /^\| `/ { sub(/^\| /, ""); sub(/ \|.*/, ""); print }' "$page" |
		grep -o '`[^`]*`' | tr -d '`' | LC_ALL=C sort -u
}

# made: system calls in the library's source; it asks for SYS_seccomp, and attach_calls.c has those in which threads of other
# processes may wait, but none of these is made
made()
{
	grep -rhoE '\bSYS_[a-z0-9_]+' "$top_srcdir/collector" "$top_srcdir/include/tacho" --include='*.[ch]' --include='*.def' --exclude=attach_calls.c |
		sed 's/SYS_//' | grep -vx -e seccomp | LC_ALL=C sort -u
}

# imported: functions of libc in the library, less those that only compute; of Python the library has
# addresses, of what its layout is known by, and calls nothing
imported()
{
	nm -D --undefined-only "$lib" | awk '{ sub(/@.*/, "", $2); print $2 }' |
		grep -vE '^(mem|str|stp|wcs)|^(v?snprintf|(__isoc(99|23)_)?sscanf|qsort|getenv|fnmatch|ftello|fileno_unlocked|dirfd|stdin|stdout|pthread_self|inet_ntop)$' |
		grep -vE '^_?Py[A-Z_]' |
		grep -vE 'environ$|^__progname$|^program_invocation|^__ctype|^__errno'
}

# unlisted: of the names on stdin those that no name or pattern of the second table covers
unlisted()
{
	listed 2 | sed 's/\*/.*/; s/.*/^&$/' >"$tmp/patterns"
	grep -v -f "$tmp/patterns"
}

# build NAME COMPILER OPTION…
build()
{
	name=$1
	shift
	listed 1 | sed 's/.*/CALL(&)/' >"$tmp/numbers.h"
	"$@" -w -pthread -I"$tmp" -I"$top_srcdir/include" -o "$tmp/$name" "$top_srcdir/tests/e2e/own_calls.c" 2>&1
}

# recorded NAME RANKS COMMAND…: it ends well, and what it did is there: 2 threads, 3 forks, 5 files
recorded()
{
	name=$1 ranks=$2
	shift 2
	mkdir "$tmp/$name.run"
	(cd "$tmp/$name.run" && TACHO_FILTERS=99 timeout 100 "$tacho" -q record -o run -- "$@" >out 2>err)
	status=$?
	[ $status -eq 77 ] && { echo "no filters"; return 77; }
	cat "$tmp/$name.run/err"
	same "$status $(grep -c done "$tmp/$name.run/out")" "0 $ranks" && same "$(sqlite3 "$tmp/$name.run/run/tacho.db" \
		"select sum(calls) from call where name = 'pread'")" $((ranks * (12 * 2 + 3) * 5))
}

echo 1..5
ok "system calls of the library are those of the page" same "$(made)" "$(listed 1)"
ok "functions of libc that may make others are those of the page" same "$(imported | unlisted)" ""
case $(uname -m) in
x86_64) ;;
*) skip "own calls" "not on this processor"; skip "others" "see above"; skip "under MPI" "see above"; exit ;;
esac
build plain "${CC:-cc}" || exit 1
(cd "$tmp" && ./plain >/dev/null)
recorded plain 1 "$tmp/plain" >"$tmp/said" 2>&1
status=$?
if [ $status -eq 77 ]; then
	skip "a program that is killed at other calls of the library's is recorded" "no seccomp filters here"
	skip "and would be killed at one that the page lacks, where no task makes it" "no seccomp filters here"
else
	ok "a program that is killed at other calls of the library's is recorded" \
		sh -c "cat '$tmp/said'; exit $status"
	cd "$tmp" && record "$tmp/killed" "$tmp/plain" getpid >/dev/null 2>&1
	ok "and would be killed at one that the page lacks, where no task makes it" same $? $((128 + 31))
fi
mpicc=${MPICC_OPENMPI:-$MPICC_MPICH}
if [ -z "$mpicc" ] || [ $status -eq 77 ]; then
	skip "the same with MPI" "no MPI, or no filters"
else
	build mpi "$mpicc" -DWITH_MPI || exit 1
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
	ok "the same with MPI" recorded mpi 2 "$(echo "$mpicc" | sed 's/mpicc\([^/]*\)$/mpirun\1/')" -n 2 "$tmp/mpi"
fi
