/*
 * sources_stop.c - for how long the whole process was stopped: by SIGSTOP, a batch system that
 * suspends the job, a frozen control group, a debugger; see sources.h. Nothing runs in a stopped
 * process, so it shows in the helper thread when that wakes late. Late is also who has no core, or
 * is throttled: then it waited in the run queue by the kernel's account, here it did not.
 */
#include "config.h"

#include <string.h>

#include "counters/sources.h"
#include "counters/sources_file.h"

#define LATE_NS 500000000u /* less is no stop that anybody cares for */

#define KIND(unit, mode) (&(struct metric_kind){ "proc.", "", unit, "", mode })

static struct {
	uint64_t ns;	    /* in all */
	uint64_t queued_ns; /* for which the helper had waited for a core lately; 0: not known */
} stop;

void stop_forget(void)
{
	memset(&stop, 0, sizeof(stop));
}

static uint64_t queued(const struct source *source)
{
	const char *at = file_text(source->path);
	uint64_t ran, waited;

	return at && number_take(&at, &ran) && number_take(&at, &waited) ? waited : 0;
}

void stop_woke(uint64_t until_ns)
{
	uint64_t now = clock_monotonic_ns(), late, waited, before = stop.queued_ns;

	if (now < until_ns + LATE_NS)
		return;
	late = now - until_ns;
	stop.queued_ns = queued(&tacho_sources[SOURCE_PROCESS_STOP]);
	waited = stop.queued_ns - before;
	if (before && waited < late / 2)
		stop.ns += late - waited;
}

void process_stop_read(const struct source *source, struct sample_set *set)
{
	stop.queued_ns = queued(source);
	if (stop.ns)
		set_add(set, KIND("ns", METRIC_ACCUMULATED), "stopped", 7, stop.ns);
}
