#!/bin/sh
# The work of merge and analysis grows as the ranks and their children do: instructions, counted by valgrind, of runs of
# different sizes. Time on a busy machine would show less.
. "$top_srcdir/tests/e2e/lib.sh"

command -v valgrind >/dev/null || skip_all "valgrind is not installed"

# made NAME RANKS CHILDREN: a run whose ranks each have 10 steps with I/O and an all-reduce, and children that read.
made() {
	mkdir -p "$1/spool"
	awk -v n="$2" -v children="$3" 'function reads(step) {
		print "rec IO pread 0 1", step * 4000000 + 2000, 1000000 + rank * 97 % 1000, 4096
	}
	function process(pid) {
		print "process n" int(rank / 8) "." pid ".0", pid, rank, n
		if (pid > n)
			print "child"
		print "node n" int(rank / 8)
	}
	function rest() {
		print "handle 1 file", rank + 10, 0, "/data/part" rank
		print "end 190000000"
		print "thread 0 main"
	}
	BEGIN {
		for (rank = 0; rank < n; rank++) {
			process(rank + 1)
			print "name 1 step"
			print "comm 1 world 0 0", rank, "0-" n - 1, "MPI_COMM_WORLD"
			rest()
			for (step = 0; step < 10; step++) {
				print "rec BEGIN step 0 1", step * 4000000 + 1000, 0, step
				reads(step)
				print "rec COLL MPI_Allreduce 0 1", step * 4000000 + 2000000, 1000000, 1048576
				print "rec END step 0 0", step * 4000000 + 3900000, 0, 32
			}
			for (k = 1; k <= children; k++) {
				process(k * n + rank + 1)
				rest()
				for (step = 0; step < 10; step++)
					reads(step)
			}
		}
	}' | "$top_builddir/tests/unit/spool_make" "$1/spool"
}

# steps COMMAND…: millions of instructions of the largest process
steps() {
	valgrind --tool=cachegrind --cache-sim=no --branch-sim=no --cachegrind-out-file=/dev/null "$tacho" -q "$@" 2>&1 |
		sed -n 's/.* I *refs: *//p' | tr -d , | sort -n | tail -n 1 | sed 's/.\{6\}$//'
}

# grows COMMAND SMALL LARGE: 4 times as much work may take 4.6 times the instructions, a power of 1.1
grows() {
	small=$(steps $1 "$2") large=$(steps $1 "$3")
	echo "# $1: $small and $large million instructions"
	[ "${small:-0}" -gt 50 ] && [ "$large" -gt "$small" ] && [ $((large * 10)) -le $((small * 46)) ]
}

made few 256 1 && made many 1024 1 && made alone 16 16 && made crowd 16 64 || exit 99
for command in "merge -j 1" "analyze -j 1"; do
	check "$command: 256 and 1,024 ranks" grows "$command" few many
	check "$command: 256 and 1,024 children" grows "$command" alone crowd
done
plan
