#!/bin/sh
# Only main() ends tacho: its libraries return failures to their callers, and forked children leave
# through guard_leave(). MPI's part, loaded on its own, too.
command -v nm >/dev/null || { echo "1..0 # SKIP no nm"; exit 0; }
cd "$top_builddir/analyzer" || exit 99

# callers SYMBOL…: objects that call one of them
callers() {
	for symbol; do
		nm -A --undefined-only */lib*.a cli/*.o $(ls base/*tacho_mpi_la*.o base/.libs/*tacho_mpi_la*.o 2>/dev/null) 2>/dev/null |
			awk -v symbol="$symbol" '$NF == symbol || index($NF, symbol "@") == 1 { sub(/:[^:]*$/, "", $1); print $1 }'
	done | sed 's/.*-//; s/:$//' | sort -u
}

echo 1..2
found=$(callers exit _Exit abort quick_exit)
[ -z "$found" ] && echo "ok 1 - nothing ends the program but main()" ||
	{ echo "not ok 1 - nothing ends the program but main()"; echo "$found" | sed 's/^/# /'; }
found=$(callers _exit)
[ "$found" = guard.o ] && echo "ok 2 - forked children leave through guard_leave()" ||
	{ echo "not ok 2 - forked children leave through guard_leave()"; echo "$found" | sed 's/^/# /'; }
