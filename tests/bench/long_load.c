/*
 * long_load.c - a run of any length, and what recording it takes meanwhile. tests/bench/long compresses a
 * day with it: the calls of all its steps, without the pauses between them.
 *
 * usage: long FILE FOLDER STEPS [PAUSE_US [WORKERS]]: FILE has 4 KiB, below FOLDER are the spools;
 * between steps it sleeps, and every thousandth it starts so many workers, which read and end
 *
 * A step reads 4 KiB 40 times and polls 20 times; each tenth writes a line, each thousandth is followed
 * by a phase of 10 reads. Ten times it prints: steps done, seconds, KiB of resident memory,
 * descriptors, files below FOLDER, KiB of them. Then: reads, polls, writes.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

enum { READS = 40, POLLS = 20, BLOCK = 4096, EPOCH = 1000, LINES = 10, LOOKS = 10 };

static long nreads, npolls, nwrites, files, kib;

static int file_add(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)path;
	(void)place;
	files += type == FTW_F;
	kib += st->st_blocks / 2;
	return 0;
}

static long descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long n = -3; /* ".", "..", and its own */

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static long resident_kib(void)
{
	FILE *status = fopen("/proc/self/statm", "r");
	long all = 0, resident = 0;

	if (status && fscanf(status, "%ld %ld", &all, &resident) != 2)
		resident = 0;
	if (status)
		fclose(status);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void look(const char *folder, long step, const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	files = kib = 0;
	nftw(folder, file_add, 8, FTW_PHYS);
	printf("%ld %.3f %ld %ld %ld %ld\n", step,
		(double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9,
		resident_kib(), descriptors(), files, kib);
	fflush(stdout);
}

static void reads(int fd, int n)
{
	static char block[BLOCK];

	for (int i = 0; i < n; i++, nreads++)
		if (pread(fd, block, BLOCK, 0) != BLOCK)
			abort();
}

static void workers(int fd, int n)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			reads(fd, READS);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void step(int fd, int log, long n)
{
	struct pollfd input = { .fd = fd, .events = POLLPRI };

	tacho_step_begin((uint64_t)n);
	reads(fd, READS);
	for (int i = 0; i < POLLS; i++, npolls++)
		poll(&input, 1, 0);
	if (n % LINES == 0)
		nwrites += write(log, "step\n", 5) == 5;
	tacho_step_end(8);
}

int main(int argc, char **argv)
{
	long steps = argc > 3 ? atol(argv[3]) : 0, pause = argc > 4 ? atol(argv[4]) : 0;
	int nworkers = argc > 5 ? atoi(argv[5]) : 0;
	int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1, log = open("/dev/null", O_WRONLY);
	struct timespec start, rest = { pause / 1000000, pause % 1000000 * 1000 };

	if (fd < 0 || log < 0 || steps < LOOKS)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &start);
	tacho_phase_begin("train");
	for (long n = 0; n < steps; n++) {
		step(fd, log, n);
		if (pause)
			nanosleep(&rest, NULL);
		if (n % EPOCH == EPOCH - 1) {
			workers(fd, nworkers);
			tacho_phase_end();
			tacho_phase_begin("validate");
			reads(fd, 10);
			tacho_phase_end();
			tacho_phase_begin("train");
		}
		if ((n + 1) % (steps / LOOKS) == 0)
			look(argv[2], n + 1, &start);
	}
	tacho_phase_end();
	printf("%ld %ld %ld\n", nreads, npolls, nwrites);
	return 0;
}
