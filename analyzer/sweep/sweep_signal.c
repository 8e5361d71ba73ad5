/* sweep_signal.c - see sweep_signal.h. */
#include "config.h"

#include <errno.h>

#include "sweep/sweep_signal.h"

volatile sig_atomic_t sweep_signal_group;
static volatile sig_atomic_t signal_taken;

static void take(int sig)
{
	int saved = errno;

	signal_taken = sig;
	if (sweep_signal_group > 0)
		kill(-sweep_signal_group, SIGTERM);
	errno = saved;
}

void sweep_signals_take(void)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction act = { .sa_handler = take }, before;

	sigfillset(&act.sa_mask);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(ends[i], &act, NULL);
}

int sweep_signal(void)
{
	return signal_taken;
}
