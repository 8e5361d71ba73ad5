/*
 * many_load.c - many short lives within a budget.
 *
 * usage: many_load threads N: N threads, one after the other, read 10 bytes of the file `data`
 *        many_load marked N:  the same, each in a marked region
 *        many_load names N:   10 bytes are written to each of N files, which are removed again
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tacho.h"

static int data;
static int marked;

static void *reads(void *unused)
{
	char bytes[10];

	if (marked)
		tacho_region_begin("read");
	if (pread(data, bytes, sizeof(bytes), 0) != sizeof(bytes))
		perror("data");
	if (marked)
		tacho_region_end();
	return unused;
}

static void threads(long n)
{
	pthread_t thread;

	for (long i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, reads, NULL) || pthread_join(thread, NULL))
			abort();
}

static void names(long n)
{
	char name[64];

	for (long i = 0; i < n; i++) {
		int fd;

		snprintf(name, sizeof(name), "a-sample-of-the-data-set-%ld", i);
		fd = open(name, O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || write(fd, "0123456789", 10) != 10)
			abort();
		close(fd);
		unlink(name);
	}
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 1;

	data = open("data", O_RDONLY);
	tacho_step_begin(0);
	marked = argc > 1 && strcmp(argv[1], "marked") == 0;
	if (marked || (argc > 1 && strcmp(argv[1], "threads") == 0))
		threads(n);
	else
		names(n);
	tacho_step_end(1);
	return 0;
}
