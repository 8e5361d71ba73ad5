/*
 * account_load.c - a thread with activity that differs from the activity of its calls:
 *
 * account_load burn    a signal handler computes for 1.5 s inside of a call that waits for 0.3 s
 * account_load block   the thread is blocked for 1.5 s in a system call that no wrapper sees
 * account_load neither it waits for 0.3 s and computes for 1 s
 */
#include <linux/futex.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void compute(double seconds)
{
	struct timespec from, t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while ((double)(t.tv_sec - from.tv_sec) + (double)(t.tv_nsec - from.tv_nsec) / 1e9 <
		seconds);
}

static void handle(int signal)
{
	(void)signal;
	compute(1.5);
}

static void wait_ms(int ms)
{
	poll(NULL, 0, ms);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct sigaction burn = { .sa_handler = handle };
	struct timespec limit = { .tv_sec = 1, .tv_nsec = 500000000 };
	struct itimerspec once = { .it_value.tv_nsec = 100000000 };
	unsigned word = 0;
	timer_t timer;

	MPI_Init(&argc, &argv); /* from then on it is sampled */
	compute(0.5);
	if (!strcmp(how, "burn")) {
		sigaction(SIGALRM, &burn, NULL);
		timer_create(CLOCK_MONOTONIC, NULL, &timer);
		timer_settime(timer, 0, &once, NULL);
	}
	wait_ms(300);
	if (!strcmp(how, "block"))
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, NULL, 0);
	compute(0.5);
	MPI_Finalize();
	return 0;
}
