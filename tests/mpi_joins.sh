#!/bin/sh
# A thread that main joins after its end: main had not to wait when it was recorded, as its messages took longer, but waits on
# an ideal network, where these take no time.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho
cat > "$dir/joins.c" <<'END'
#include <mpi.h>
#include <pthread.h>
#include <time.h>
#define SIZE (4 << 20)
static char in[SIZE], out[SIZE];
static void *sleeps(void *unused)
{
	nanosleep(&(struct timespec){ 0, 300000000 }, NULL);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&thread, NULL, sleeps, NULL);
	for (int i = 0; i < 500; i++)
		MPI_Sendrecv(out, SIZE, MPI_CHAR, 1 - rank, 0, in, SIZE, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	pthread_join(thread, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
END
echo 1..2
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		skip "$family: a thread is joined" "no $family compiler"
		continue
	fi
	"$(mpicc_of $family)" -w -pthread -o "$dir/joins" "$dir/joins.c" || exit 99
	rm -rf "$dir/run"
	(cd "$dir" && timeout 120 "$tacho" -q record --no-git -o run -- "$(mpirun_of $family)" -n 2 ./joins > out 2>&1 < /dev/null) ||
		show "$dir/out"
	ideal=$(sqlite3 "$dir/run/tacho.db" "select value / 1e9 from metric where name = 'ideal_network_runtime' and window = 'active'
		and subject = ''")
	echo "# ideal $ideal s"
	awk -v ideal="$ideal" 'BEGIN { exit !(ideal >= 0.29 && ideal <= 0.5) }'
	ok $? "$family: main waits for the thread on an ideal network"
done
