/*
 * lives_load.c - ranks that work and then die, hang, or go on without an event.
 *
 * usage: lives_load WORK_MS HOW HOW…, one for each rank
 *
 * Each rank leaves MPI_Init, works for WORK_MS without a call that is recorded, and then, by HOW:
 * dies; works as long again, and dies; waits in the call named (pipe, eventfd, timerfd, barrier)
 * for what never comes, and dies once all do and WORK_MS have gone by; ends with MPI_Finalize; or
 * works as long again after it (late). Files here.RANK say who is so far.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static long work_ms;

/* Time without an event, on a machine that others may use: no call of libc. */
static void work(void)
{
	struct timespec t = { work_ms / 1000, work_ms % 1000 * 1000000 };

	syscall(SYS_nanosleep, &t, NULL);
}

static void die(void)
{
	syscall(SYS_kill, getpid(), SIGKILL);
}

/* Whether a rank has come to the state in which it dies; no call of libc. */
static bool is_here(int rank, bool comes)
{
	char name[] = "here.0";

	name[5] = (char)('0' + rank);
	return syscall(SYS_openat, AT_FDCWD, name, comes ? O_CREAT | O_WRONLY : O_RDONLY, 0600) >=
		0;
}

static void *killer(void *unused)
{
	struct timespec nap = { .tv_nsec = 10000000 };

	while (!is_here(0, false) || !is_here(1, false))
		syscall(SYS_nanosleep, &nap, NULL);
	work();
	die();
	return unused;
}

/* The call of rank 1 that does not return. */
static void hang(const char *how)
{
	struct itimerspec hour = { .it_value.tv_sec = 3600 };
	int ends[2], fd = -1;
	char byte[8];

	if (strcmp(how, "barrier") == 0) {
		MPI_Barrier(MPI_COMM_WORLD);
		return;
	}
	if (strcmp(how, "pipe") == 0 && pipe(ends) == 0)
		fd = ends[0];
	if (strcmp(how, "eventfd") == 0)
		fd = eventfd(0, 0);
	if (strcmp(how, "timerfd") == 0) {
		fd = timerfd_create(CLOCK_MONOTONIC, 0);
		timerfd_settime(fd, 0, &hour, NULL);
	}
	if (read(fd, byte, sizeof(byte)) < 0)
		perror("read");
}

static bool is(const char *how, const char *what)
{
	return strcmp(how, what) == 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	const char *how;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 3 + rank)
		return 2;
	work_ms = atol(argv[1]);
	how = argv[2 + rank];
	MPI_Barrier(MPI_COMM_WORLD);
	work();
	is_here(rank, true);
	if (is(how, "dies"))
		die();
	if (!is(how, "ends") && !is(how, "late")) {
		pthread_create(&thread, NULL, killer, NULL);
		if (is(how, "works"))
			work();
		else
			hang(how);
		pause();
	}
	MPI_Finalize();
	if (is(how, "late"))
		work();
	return 0;
}
