#!/bin/sh
# Several MPI jobs in one run: those that MPI_Comm_spawn starts, and a script with two mpiruns. The
# run's ranks are those of one job; the others' processes are children, nobody is invented.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho
db=$dir/run/tacho.db

# is SQL VALUE: what the run's database says
is()
{
	found=$(sqlite3 "$db" "$1" | tr '\n' ' ')
	test "$found" = "$2 " || { echo "# $1: $found, not $2"; false; }
}

record()
{
	rm -rf "$dir/run"
	timeout 60 "$tacho" -q record --keep-spools -o "$dir/run" -- "$@" < /dev/null > "$dir/out" 2>&1 ||
		{ show "$dir/out"; false; }
}

members="select count(*), count(rank), count(distinct node_id), sum(parent_id is not null)
	from process"

# Whether this machine's mpirun can start more processes.
can_spawn()
{
	timeout 30 "$(mpirun_of "$1")" -n 2 "$dir/mpi_spawn.$1" spawn < /dev/null > "$dir/out" 2>&1
}

# What it says of a port, which a spawn begins with: Debian 12's MPICH 4.0 has none over UCX, later ones have.
cannot()
{
	cat > "$dir/port.c" <<-'EOF'
		#include <mpi.h>
		#include <stdio.h>

		int main(int argc, char **argv)
		{
			char port[MPI_MAX_PORT_NAME], text[MPI_MAX_ERROR_STRING];
			int error, n;

			MPI_Init(&argc, &argv);
			MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
			error = MPI_Open_port(MPI_INFO_NULL, port);
			MPI_Error_string(error, text, &n);
			puts(text);
			return MPI_Finalize();
		}
	EOF
	"$(mpicc_of "$1")" -w -o "$dir/port" "$dir/port.c" && timeout 30 "$(mpirun_of "$1")" -n 1 "$dir/port" < /dev/null 2> "$dir/out" |
		sed -n '$s/^[^:]*: //p'
}

check_spawn()
{
	record "$(mpirun_of "$1")" -n 2 "$dir/mpi_spawn.$1" spawn &&
		is "$members" '5|2|1|3' && is 'select count(*) from loss' 0
	ok $? "$1: two ranks that spawn three processes are two ranks with three children"
	# op, bytes and members of both groups
	is "select group_concat(op || ' ' || bytes || ' ' || size) from (
		select op, bytes, size from collective
		join communicator on communicator.kind = collective.kind and id = comm_id
		where size > 3 and op not in ('create', 'destroy') order by op, bytes)" \
		'allreduce 4 5,barrier 0 5,barrier 0 5,broadcast 40 5'
	ok $? "$1: collectives between both jobs are in the table"
	for jobs in 1 2 3; do
		"$tacho" -q analyze -j $jobs --db "$dir/jobs.$jobs" "$dir/run/trace/traces.otf2" \
			> "$dir/out" 2>&1 || show "$dir/out"
	done
	python3 "$top_srcdir/tests/database_equal.py" "$dir/jobs.1" "$dir/jobs.2" \
		"$dir/jobs.1" "$dir/jobs.3" > "$dir/out" 2>&1
	ok $? "$1: one reader finds the same as several"
	show "$dir/out"
}

check_alone()
{
	record "$(mpirun_of "$1")" -n 1 "$dir/mpi_spawn.$1" alone && is "$members" '3|1|1|2' &&
		is "select nranks || ' ' || cut || ' ' || (select count(*) from collective where op = 'broadcast' and bytes = 40)
			from run" '1 0 1' && is 'select count(*) from loss' 0
	ok $? "$1: one rank that spawns two processes is one rank on one node with two children"
}

check_script()
{
	cat > "$dir/script" <<-EOF
		$(mpirun_of "$1") -n 1 $dir/mpi_spawn.$1 &&
		$(mpirun_of "$1") -n 3 $dir/mpi_spawn.$1 &&
		$(mpirun_of "$1") -n 2 $dir/mpi_spawn.$1
	EOF
	record sh "$dir/script" && is "$members" '6|3|1|0' &&
		is "select group_concat(size) from collective
			join communicator on communicator.kind = collective.kind and id = comm_id
			where op = 'barrier'" 3,1,2
	ok $? "$1: of three mpiruns the one with most processes has the run's ranks"
}

# A rank that left no spool is on no node that is known, and makes none.
check_missing()
{
	record "$(mpirun_of "$1")" -n 3 "$dir/mpi_spawn.$1" && rm -r "$dir/run/trace" "$db" &&
		rm -r "$(ls -d "$dir"/run/spool/*/ | head -n 1)" &&
		"$tacho" -q merge "$dir/run" > "$dir/out" 2>&1 &&
		"$tacho" -q analyze "$dir/run" > "$dir/out" 2>&1 &&
		is 'select (select count(*) from node), count(rank), count(node_id) from process' '1|3|2'
	ok $? "$1: a rank that left no spool makes no node"
}

echo 1..12
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ] || ! compile $family mpi_spawn; then
		for i in 1 2 3 4 5 6; do skip "$family: several jobs" "no $family compiler"; done
		continue
	fi
	if can_spawn $family; then
		check_spawn $family
		check_alone $family
	else
		for i in 1 2 3 4; do skip "$family: MPI_Comm_spawn" "$family cannot spawn here: $(cannot $family)"; done
	fi
	check_script $family
	check_missing $family
done
