/*
 * sources_stop.c - for how long the whole process was stopped: by SIGSTOP, a batch system that
 * suspends the job, a frozen control group, a debugger; see sources.h. The helper, which may run
 * on, inspects the program's state at each beat. If it was stopped as well it wakes late. It also
 * wakes late without a core or when throttled, but then the kernel counts the time as waiting in
 * the run queue.
 */
#include "config.h"

#include <string.h>

#include "counters/sources.h"
#include "core/proc_file.h"

#define LATE_NS 500000000u /* less is no stop that anybody cares for */

#define KIND(unit, mode) (&(struct metric_kind){ "proc.", "", unit, "", mode })

static struct {
	uint64_t ns;	    /* in all */
	uint64_t since_ns;  /* since when it is known to be stopped; 0: it is not */
	uint64_t queued_ns; /* for which the helper had waited for a core lately; 0: not known */
} stop;

void stop_forget(void)
{
	memset(&stop, 0, sizeof(stop));
}

static uint64_t queued(const char *path)
{
	const char *at = file_text(path);
	uint64_t ran, waited;

	return at && number_take(&at, &ran) && number_take(&at, &waited) ? waited : 0;
}

/* `is_seen`: it was, and is no mere guess. */
static void stopped(uint64_t since_ns, bool is_seen)
{
	uint64_t now = clock_monotonic_ns(), late, waited, before = stop.queued_ns;

	if (now < since_ns + LATE_NS)
		return;
	late = now - since_ns;
	stop.queued_ns = queued(PATH_STOP);
	/* at the process's end another task reads */
	waited = before && stop.queued_ns > before ? stop.queued_ns - before : 0;
	if (is_seen ? waited < late : before && waited < late / 2)
		stop.ns += late - waited;
}

void stop_woke(uint64_t until_ns)
{
	stopped(until_ns, false);
}

void stop_begins(uint64_t since_ns)
{
	stop.since_ns = since_ns;
}

void stop_ends(void)
{
	uint64_t since = stop.since_ns;

	stop.since_ns = 0;
	if (since)
		stopped(since, true);
}

void process_stop_read(const struct counter *source, struct sample_set *set)
{
	stop_ends(); /* the program has run again and ends, before the helper has seen it */
	stop.queued_ns = queued(source->path);
	if (stop.ns)
		set_add(set, KIND("ns", METRIC_ACCUMULATED), "stopped", 7, stop.ns);
}
