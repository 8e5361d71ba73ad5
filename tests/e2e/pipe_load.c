/*
 * pipe_load.c - a rank that reads from a pipe what its child writes late: it waits, and does no I/O.
 *
 * usage: pipe_load FILE STEPS: in each step the rank reads a byte, which the child writes 1 ms after the one before,
 * then 4 KiB of FILE 20 times, and signals a condition 20 times without a waiter.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

enum { CALLS = 20, BLOCK = 4096 };

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static int write_late(int pipe, int n)
{
	struct timespec t = { .tv_nsec = 1000000 };

	for (int i = 0; i < n; i++)
		if (nanosleep(&t, NULL) || write(pipe, "x", 1) != 1)
			return 1;
	return 0;
}

static int step_make(int pipe, int file, int n)
{
	static char block[BLOCK];
	int bad;

	tacho_step_begin(n);
	bad = read(pipe, block, 1) != 1;
	for (int i = 0; i < CALLS; i++) {
		bad |= pread(file, block, BLOCK, 0) != BLOCK;
		pthread_cond_signal(&condition);
	}
	tacho_step_end(1);
	return bad;
}

int main(int argc, char **argv)
{
	int ends[2], n = argc > 2 ? atoi(argv[2]) : 0, file = open(argv[1], O_RDONLY), bad = 0;

	if (file < 0 || pipe(ends))
		return 1;
	if (fork() == 0)
		_exit(write_late(ends[1], n));
	for (int i = 0; i < n; i++)
		bad |= step_make(ends[0], file, i);
	return bad;
}
