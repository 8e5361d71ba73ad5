#!/bin/sh
# Fortran programs are recorded as those in C are, each call once: under Open MPI, whose bindings bypass MPI's first
# names, and under MPICH, whose bindings call them; with mpif.h, the module mpi and the module mpi_f08.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho

mpif_of() { mpicc_of "$1" | sed 's/mpicc\([^/]*\)$/mpifort\1/'; }

sql() { sqlite3 "$dir/run/tacho.db" "$1" | tr '\n' ' '; }

# Calls of both ranks, with bytes sent and received (those of Init and Finalize are from files).
expected="MPI_Allreduce 4 1760 1760 MPI_Barrier 2 0 0 MPI_Bcast 2 800 800 MPI_Comm_free 2 0 0 MPI_Comm_split 2 0 0 \
MPI_Finalize 2 0 0 MPI_Init 2 0 0 MPI_Irecv 2 0 0 MPI_Isend 2 16 0 MPI_Recv 1 0 16 MPI_Reduce 2 8 8 MPI_Send 1 16 0 \
MPI_Sendrecv 6 96 96 MPI_Waitall 2 0 16 "
calls="select c.name, sum(c.calls), sum(c.bytes_sent * use), sum(c.bytes_received * use) from (select *,
	name not in ('MPI_Init', 'MPI_Finalize') as use from call) c where c.name in ('MPI_Allreduce',
	'MPI_Barrier', 'MPI_Bcast', 'MPI_Comm_free', 'MPI_Comm_split', 'MPI_Finalize', 'MPI_Init', 'MPI_Irecv', 'MPI_Isend',
	'MPI_Recv', 'MPI_Reduce', 'MPI_Send', 'MPI_Sendrecv', 'MPI_Waitall') group by c.name"

# Another tool behind libtacho counts MPI_Barrier, as most do.
cat >"$dir/tool.c" <<'END'
#include <mpi.h>
#include <stdio.h>
static int n;
int MPI_Barrier(MPI_Comm comm) { n++; return PMPI_Barrier(comm); }
__attribute__((destructor)) static void tell(void) { if (n) printf("tool %d\n", n); }
END

echo "1..$((2 * 3 * 3 + 1))"
for family in openmpi mpich; do
	for binding in mpif.h mpi mpi_f08; do
		define=$(case $binding in mpif.h) ;; mpi) echo -DBINDING=mpi ;; *) echo -DBINDING=mpi_f08 -DF08 ;; esac)
		# shellcheck disable=SC2086 # none or several
		if ! command -v sqlite3 >/dev/null || ! command -v "$(mpif_of $family)" >/dev/null ||
			! "$(mpif_of $family)" -w -ffree-line-length-none -fallow-argument-mismatch -cpp $define -o "$dir/ring" \
				"$top_srcdir/tests/e2e/mpi_fortran.F90" 2>"$dir/compile.log"; then
			for what in recorded counted matched; do
				skip "$family, $binding: $what" "no Fortran compiler for it"
			done
			continue
		fi
		rm -rf "$dir/run"
		timeout 100 "$tacho" -q record -o "$dir/run" -- "$(mpirun_of $family)" -n 2 "$dir/ring" >"$dir/out" 2>&1 &&
			grep -q '^done' "$dir/out"
		ok $? "$family, $binding: a program is recorded and gets its results" || show "$dir/out"
		[ "$(sql "$calls" | tr '|' ' ')" = "$expected" ]
		ok $? "$family, $binding: each call is counted once, with its bytes"
		[ "$(sql "$calls" | tr '|' ' ')" = "$expected" ] || echo "# $(sql "$calls" | tr '|' ' ')"
		[ "$(sql "select count(*) from checks where not ok; select count(*) from unmatched;
			select group_concat(size) from (select size from communicator where kind = 'mpi' order by size)")" = "0 0 1,1,2 " ]
		ok $? "$family, $binding: messages and collectives find their partners" || show "$dir/out"
	done
done
if [ -x "$dir/ring" ] && command -v "$(mpif_of openmpi)" >/dev/null && "$(mpicc_of openmpi)" -shared -fPIC -o "$dir/tool.so" "$dir/tool.c" &&
	"$(mpif_of openmpi)" -w -ffree-line-length-none -cpp -DBINDING=mpi -o "$dir/ring" "$top_srcdir/tests/e2e/mpi_fortran.F90"; then
	rm -rf "$dir/run"
	timeout 100 "$tacho" -q record -o "$dir/run" -- "$(mpirun_of openmpi)" -x LD_PRELOAD="$dir/tool.so" -n 2 "$dir/ring" >"$dir/out" 2>&1 &&
		[ "$(grep -c '^tool 1$' "$dir/out")" -eq 2 ] && [ "$(sql "$calls" | tr '|' ' ')" = "$expected" ]
	ok $? "openmpi: another tool sees each call once, too" || show "$dir/out"
else
	skip "openmpi: another tool" "no Fortran compiler for it"
fi
