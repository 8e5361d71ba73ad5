/* cuda_leave.c - see cuda_leave.h. */
#include "config.h"

#include <stdio.h>
#include <time.h>

#include "core/define.h"
#include "core/process.h"
#include "cuda/cuda_capture.h"
#include "cuda/cuda_leave.h"
#include "cuda/cuda_sample.h"

#define PROPERTY_GAP                                                                               \
	"process.gpu_gap." /* the turn's number; text: its begin and end, "" before that */

static struct timespec since;
static unsigned nturns;

void cuda_yield(void)
{
	struct timespec t;
	char text[80];

	if (!cuda_is_on())
		return;
	cuda_detach(false);
	clock_gettime(CLOCK_REALTIME, &t);
	snprintf(text, sizeof(text), "off: yielded to another tool at %lld.%03ld",
		(long long)t.tv_sec, t.tv_nsec / 1000000);
	process_define_property("process.gpu_tracing", text);
	say_once(SAY_GPU,
		"GPUs are not recorded any more: another tool takes CUPTI (TACHO_CUPTI_YIELD=1)");
}

static void turn_note(const struct timespec *end)
{
	char name[40], text[80];
	int n;

	snprintf(name, sizeof(name), PROPERTY_GAP "%u", nturns);
	n = snprintf(text, sizeof(text), "%lld.%03ld", (long long)since.tv_sec,
		since.tv_nsec / 1000000);
	if (end)
		snprintf(text + n, sizeof(text) - (size_t)n, " %lld.%03ld", (long long)end->tv_sec,
			end->tv_nsec / 1000000);
	process_define_property(name, text);
}

void cuda_hand_over(void)
{
	if (!cuda_is_on())
		return;
	cuda_detach(true);
	cuda_sample_away(true);
	clock_gettime(CLOCK_REALTIME, &since);
	nturns++;
	turn_note(NULL); /* the process may end meanwhile */
}

void cuda_come_back(void)
{
	struct timespec now;
	int error;
	char text[80];

	if (!cuda_is_away())
		return;
	error = cuda_attach_again();
	if (error) {
		snprintf(text, sizeof(text),
			"off: CUPTI refuses (error %d) since another profiler had it", error);
		process_define_property("process.gpu_tracing", text);
		say_once(SAY_GPU, "GPUs are not recorded any more: %s", text + 5);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	turn_note(&now);
	cuda_sample_away(false);
}
