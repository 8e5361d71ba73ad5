/*
 * keep.c - automatic snapshots when ranks hang or a step was slow; see snapshot.h. A child process
 * takes each, so that polling continues.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/median.h"
#include "base/rundir.h"
#include "record/snapshot.h"

enum { KEPT_MOST = 10, STEPS_LEAST = 10 };

/* Between two: one costs about as much as the end of the run. */
static const int64_t pause_ns = 60000000000;
/* A step is slow that takes so many times as long as the median of those before. */
static const double slow_times = 2;

bool keep_read(struct keep *keep, const char *text)
{
	static const struct {
		const char *name;
		enum keep_on on;
		int signal;
	} names[] = { { "hang", KEEP_ON_HANG, 0 }, { "slow-step", KEEP_ON_SLOW_STEP, 0 },
		{ "SIGUSR1", KEEP_ON_SIGNAL, SIGUSR1 }, { "SIGUSR2", KEEP_ON_SIGNAL, SIGUSR2 } };
	const size_t nnames = sizeof(names) / sizeof(*names);

	for (const char *at = text; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
		size_t n = strcspn(at, ","), i = 0;

		while (i < nnames &&
			(strlen(names[i].name) != n || strncmp(names[i].name, at, n) != 0))
			i++;
		if (i == nnames || (names[i].signal && keep->signal))
			return false;
		keep->on |= names[i].on;
		keep->signal += names[i].signal;
	}
	return keep->on != 0;
}

/* The first rank that lives and marks steps. */
static const struct live_process *stepper(const struct view *view)
{
	for (size_t i = 0; i < view->ranks.n; i++)
		if (view->ranks.at[i].life == VIEW_RUNS && view->ranks.at[i].process->nsteps)
			return view->ranks.at[i].process;
	return NULL;
}

static double step_s(const struct live_process *p, uint64_t nth)
{
	return (double)(p->step_ends[nth % LIVE_STEPS] - p->step_ends[(nth - 1) % LIVE_STEPS]) *
		p->ns_per_tick / 1e9;
}

/* The longest of the steps that ended since the last poll, if it was slow; 0: none was. */
static double slow_step(struct keep *keep, const struct view *view)
{
	const struct live_process *p = stepper(view);
	double before[LIVE_STEPS], longest = 0, usual;
	uint64_t first, seen;
	size_t n = 0;

	if (!p || p->ns_per_tick <= 0)
		return 0;
	seen = p->rank == keep->rank ? keep->nsteps : p->nsteps;
	keep->rank = p->rank;
	keep->nsteps = p->nsteps;
	first = p->nsteps > LIVE_STEPS ? p->nsteps - LIVE_STEPS : 0;
	for (uint64_t i = first + 1; i < p->nsteps; i++)
		if (i < seen)
			before[n++] = step_s(p, i);
		else if (step_s(p, i) > longest)
			longest = step_s(p, i);
	if (n < STEPS_LEAST)
		return 0;
	usual = nth_least(before, n, n / 2);
	return longest > slow_times * usual ? longest : 0;
}

/* The first that is not there, to be freed; NULL without memory. */
static char *place_free(const char *run, int *number)
{
	char *snap = NULL;

	for (*number = 1; asprintf(&snap, "%s/kept-%d", run, *number) >= 0; ++*number) {
		if (!path_exists(snap))
			return snap;
		free(snap);
	}
	log_error("out of memory");
	return NULL;
}

char *keep_now(const char *run, const char *why, int jobs)
{
	char *snap, *note = NULL;
	int number, ret = -1;

	snap = place_free(run, &number);
	if (snap && asprintf(&note, "mark kept-%d: %s", number, why) >= 0 &&
		control_add(run, 0, note) == 0)
		ret = snapshot_take(run, snap, false, jobs, NULL);
	free(note);
	if (ret == 0)
		return snap;
	free(snap);
	return NULL;
}

/* The process that takes it, 0: there is none. In the background, so that the command has the cores. */
static pid_t take(struct keep *keep, const char *why, bool background)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		log_level = LOG_QUIET;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (background && nice(10) == -1)
			log_debug("a snapshot is taken at full priority");
		guard_leave(getppid() != parent || !keep_now(keep->run, why, 1));
	}
	return pid < 0 ? 0 : pid;
}

/* Who asks gets one, however many there are, and also while another is being taken. */
static volatile sig_atomic_t is_asked;

void keep_ask(int number)
{
	(void)number;
	is_asked = 1;
}

void keep_look(struct keep *keep, const struct view *view)
{
	char why[80];
	double slow;
	bool hangs = view->hang && !keep->was_hanging;

	if (!keep->on)
		return;
	if (keep->pid && waitpid(keep->pid, NULL, WNOHANG) == keep->pid)
		keep->pid = 0;
	if (keep->asked_pid && waitpid(keep->asked_pid, NULL, WNOHANG) == keep->asked_pid)
		keep->asked_pid = 0;
	keep->was_hanging = view->hang != NULL;
	slow = slow_step(keep, view);
	if (!keep->asked_pid && is_asked) {
		is_asked = 0;
		keep->asked_pid = take(keep, "asked for by a signal", false);
	}
	if (keep->pid || keep->asked_pid || keep->taken == KEPT_MOST ||
		clock_now_ns(CLOCK_MONOTONIC) < keep->next_ns)
		return;
	if (hangs && keep->on & KEEP_ON_HANG)
		snprintf(why, sizeof(why), "ranks hang");
	else if (slow > 0 && keep->on & KEEP_ON_SLOW_STEP)
		snprintf(why, sizeof(why), "a step took %.3g s", slow);
	else
		return;
	keep->next_ns = clock_now_ns(CLOCK_MONOTONIC) + pause_ns;
	keep->taken++;
	keep->pid = take(keep, why, true);
}

void keep_end(struct keep *keep)
{
	while (keep->pid && waitpid(keep->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	keep->pid = 0;
}
