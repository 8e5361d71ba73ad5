/*
 * sweep_load.c - sweep_load RANKS MS [STATUS]: a program of so many ranks without a launcher. Each does
 * four steps of MS milliseconds together, which end later the more ranks there are not: its time is a
 * function of its arguments alone. It ends with STATUS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

enum { STEPS = 4 };

static int rank_work(double ms)
{
	double loss = 1;
	struct timespec nap = { .tv_sec = (time_t)(ms / STEPS / 1e3) };

	nap.tv_nsec = (long)(ms / STEPS * 1e6) - nap.tv_sec * 1000000000;
	for (uint64_t i = 0; i < STEPS; i++) {
		tacho_step_begin(i);
		nanosleep(&nap, NULL);
		tacho_step_end(8);
		tacho_metric("loss", loss);
		loss *= 0.75;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0, status, failed = 0;
	char number[16];

	if (getenv("WORLD_SIZE"))
		return rank_work(atof(argv[2]));
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			snprintf(number, sizeof(number), "%d", i);
			setenv("RANK", number, 1);
			setenv("WORLD_SIZE", argv[1], 1);
			execv("/proc/self/exe", argv);
			_exit(127);
		}
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : argc > 3 ? atoi(argv[3]) : 0;
}
