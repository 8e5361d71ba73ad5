/*
 * par_silence.c - processes that talk by TCP: one that works for longer than it may be silent is waited for,
 * and one that is stopped is not.
 */
#include "config.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/par_net.h"

enum { SILENCE_S = 4, WORK_S = 7 };

static void nap(int s)
{
	nanosleep(&(struct timespec){ .tv_sec = s }, NULL);
}

static void follow(int listener, const struct net_offer *offer, bool stops)
{
	int rank, size;

	if (net_wait(listener, offer, INT64_C(100000000000)) < 0 ||
		par_net.start(&rank, &size) < 0 || rank != 1 || size != 2)
		_exit(2);
	if (stops)
		raise(SIGSTOP);
	else
		nap(WORK_S);
	_exit(par_net.barrier() == 0 ? 0 : 1);
}

/* What the barrier of the leader returns; -2: the two did not meet. */
static int lead(struct net_offer *offer)
{
	int rank, size, ret;

	if (net_meet(offer, 1, 60000) != 1 || net_lead(offer, 1) < 0 ||
		par_net.start(&rank, &size) < 0)
		return -2;
	ret = par_net.barrier();
	par_net.end();
	return ret;
}

static bool try(bool stops, int expected)
{
	struct net_offer offer = { .name = "other" };
	int listener = net_listen(&offer), got, status = 0;
	pid_t pid = listener < 0 ? -1 : fork();

	if (pid == 0)
		follow(listener, &offer, stops);
	if (pid < 0)
		return false;
	close(listener);
	got = lead(&offer);
	if (stops)
		kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid || got != expected)
		printf("# the barrier returned %d, status %d\n", got, status);
	return got == expected && (stops || status == 0);
}

int main(void)
{
	struct net_offer offer;
	int listener = net_listen(&offer);

	setvbuf(stdout, NULL, _IONBF, 0);
	if (listener < 0) {
		puts("1..0 # SKIP there is no network interface but loopback");
		return 0;
	}
	close(listener);
	net_silence_ns = SILENCE_S * INT64_C(1000000000);
	puts("1..2");
	printf("%sok 1 - a process that works for longer than it may be silent is waited for\n",
		try(false, 0) ? "" : "not ");
	printf("%sok 2 - a process that is stopped is lost after that time\n",
		try(true, -1) ? "" : "not ");
	return 0;
}
