/*
 * trouble_load.c - steps that lose time: `trouble_load none|thread|mutex|semaphore|sleep|server|turns|late|end|move STEPS MS`.
 * Each step computes for MS on every rank and reduces. Besides that: nothing; all of it in a second
 * thread; before it a lock that a helper thread holds for MS, a mutex or a semaphore, a sleep of
 * MS, a sample from a child, to which a server gives it after 2 MS; twice as much to compute, for
 * one rank after the other; as much as all steps have for rank 1 alone before the first one, or for
 * rank 0 after the last one; or 32 MiB to the next rank.
 */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOVED = 32 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static int by_semaphore;
static int held[2], asked[2], sample[2], server[2];
static long ms = 10;
static char data[2 * MOVED];

static void rest(long n)
{
	nanosleep(&(struct timespec){ n / 1000, n % 1000 * 1000000 }, NULL);
}

static void compute(long n)
{
	struct timespec now;
	long until;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	until = now.tv_sec * 1000000000 + now.tv_nsec + n * 1000000;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec * 1000000000 + now.tv_nsec < until);
}

static void take(void)
{
	if (by_semaphore)
		sem_wait(&semaphore);
	else
		pthread_mutex_lock(&lock);
}

static void give(void)
{
	if (by_semaphore)
		sem_post(&semaphore);
	else
		pthread_mutex_unlock(&lock);
}

/* The lock's other holder: takes it whenever it is asked to. */
static void *holder(void *none)
{
	char c;

	while (read(asked[0], &c, 1) == 1) {
		take();
		if (write(held[1], "h", 1) != 1)
			exit(1);
		rest(ms);
		give();
	}
	return none;
}

/* A child that gets samples from a server, which is slow to give them. */
static void reader(void)
{
	char c = 's';
	pid_t other = fork();

	close(asked[1]);
	if (other == 0) {
		close(server[0]);
		close(asked[0]);
		while (read(server[1], &c, 1) == 1) {
			rest(2 * ms);
			if (write(server[1], &c, 1) != 1)
				break;
		}
		exit(0);
	}
	close(server[1]);
	while (read(asked[0], &c, 1) == 1)
		if (write(server[0], &c, 1) != 1 || read(server[0], &c, 1) != 1 ||
			write(sample[1], &c, 1) != 1)
			break;
	exit(0);
}

static int steps = 10;
static const char *how = "none";

/* All that the program does; not NULL: it failed. */
static void *work(void *failed)
{
	int rank, size, given, locks;
	pthread_t thread;
	char c = 's';

	by_semaphore = !strcmp(how, "semaphore");
	locks = by_semaphore || !strcmp(how, "mutex");
	sem_init(&semaphore, 0, 1);
	if (pipe(held) != 0 || pipe(asked) != 0 || pipe(sample) != 0 ||
		socketpair(AF_UNIX, SOCK_STREAM, 0, server) != 0)
		return failed;
	if (!strcmp(how, "server") && fork() == 0)
		reader();
	MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (locks && pthread_create(&thread, NULL, holder, NULL) != 0)
		return failed;
	if (!strcmp(how, "late") && rank == 1)
		compute(2 * steps * ms);
	for (int i = 0; i < steps; i++) {
		double one = 1, sum;

		if (locks) {
			if (write(asked[1], &c, 1) != 1 || read(held[0], &c, 1) != 1)
				return failed;
			take();
			give();
		} else if (!strcmp(how, "sleep")) {
			rest(ms);
		} else if (!strcmp(how, "server")) {
			if (write(asked[1], &c, 1) != 1 || read(sample[0], &c, 1) != 1)
				return failed;
		}
		compute(!strcmp(how, "turns") && i % size == rank ? 2 * ms : ms);
		if (!strcmp(how, "move"))
			MPI_Sendrecv(data, MOVED, MPI_BYTE, (rank + 1) % size, 0, data + MOVED,
				MOVED, MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
		MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	if (!strcmp(how, "end") && rank == 0)
		compute(steps * ms);
	MPI_Finalize();
	return NULL;
}

int main(int argc, char **argv)
{
	void *failed = NULL;
	pthread_t thread;

	how = argc > 1 ? argv[1] : how;
	steps = argc > 2 ? atoi(argv[2]) : steps;
	ms = argc > 3 ? atol(argv[3]) : ms;
	if (strcmp(how, "thread") != 0)
		return work(&steps) != NULL;
	return pthread_create(&thread, NULL, work, &steps) != 0 ||
		pthread_join(thread, &failed) != 0 || failed;
}
