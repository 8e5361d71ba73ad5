/*
 * cuda_clock.c - CUPTI's time as ticks of ours; see cuda_capture.h. CUPTI's timestamp callback is
 * to return nanoseconds, and a tick of the TSC is none: so it is told ticks times a rate that
 * never changes, which makes times ticks again to the tick. CUPTI puts a GPU's times on a line
 * through such readings, so the rate need not be better than the time since the start tells it.
 *
 * Without the callback time goes by pairs of CUPTI's and ours. Between two of them it is a line,
 * and it continues behind the last one as between the last few. Readers take no lock: a pair is
 * there before it counts, and is written again only after PAIRS further ones.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/process.h"
#include "cuda/cuda_capture.h"

#define RATE_NS 2000000u /* at least so long is what the rate is taken of: to some 10^-5 */
#define PAIRS	64	 /* one per second */
#define FEW	8	 /* of them are a rate */
/* How far a time may be outside of the recording: about a millisecond, and 4 where ticks are ns. */
#define SLACK_TICKS 4000000u

struct clock_pair {
	uint64_t time, ticks;
};

static struct clock_pair first, pairs[PAIRS];
static _Atomic uint32_t npairs, is_pairing;
static bool is_own; /* CUPTI has our clock: */
static uint64_t base_ticks, base_ns;
static double ns_per_tick = 1;
static uint64_t attach; /* ticks */

static uint64_t now(void)
{
	return base_ns + (uint64_t)((double)(clock_ticks() - base_ticks) * ns_per_tick);
}

/* Before CUPTI asks for the time. That of day is what its own clock would tell as well. */
static void own_start(void)
{
	struct spool_def_clock clock;

	do
		clock = clock_read();
	while (tacho_clock_is_tsc && clock.monotonic_ns - tacho_process.start_ns < RATE_NS);
	base_ticks = clock.ticks;
	base_ns = clock.realtime_ns;
	if (tacho_clock_is_tsc)
		ns_per_tick = (double)(clock.monotonic_ns - tacho_process.start_ns) /
			(double)(clock.ticks - tacho_process.start_ticks);
}

void cuda_clock_pair(void)
{
	struct clock_pair best = { 0 };
	uint64_t before, time, after, width = UINT64_MAX;
	uint32_t n;

	/* one at a time; whoever comes meanwhile is served by it */
	if (is_own || atomic_exchange(&is_pairing, 1))
		return;
	n = atomic_load(&npairs);
	for (int i = 0; i < 5; i++) {
		before = clock_ticks();
		if (tacho_cupti.GetTimestamp(&time) != CUPTI_OK)
			goto out;
		after = clock_ticks();
		if (after - before < width) {
			width = after - before;
			best = (struct clock_pair){ time, before + (after - before) / 2 };
		}
	}
	if (n == 0)
		first = best;
	pairs[n % PAIRS] = best;
	atomic_store(&npairs, n + 1);
out:
	atomic_store(&is_pairing, 0);
}

void cuda_clock_rate(void)
{
	if (atomic_load_explicit(&npairs, memory_order_relaxed) < 2)
		cuda_clock_pair();
}

const char *cuda_clock_start(void)
{
	const char *wanted = getenv("TACHO_GPU_CLOCK");

	if (!attach)
		attach = clock_ticks();
	own_start();
	is_own = !(wanted && !strcmp(wanted, "paired")) &&
		tacho_cupti.ActivityRegisterTimestampCallback &&
		tacho_cupti.ActivityRegisterTimestampCallback(now) == CUPTI_OK;
	atomic_store(&npairs, 0);
	cuda_clock_pair();
	return is_own ? "shared" : "paired";
}

void cuda_clock_change(uint64_t (*other)(void))
{
	static bool was_own;

	if (!tacho_cupti.ActivityRegisterTimestampCallback)
		return;
	if (other) {
		was_own = is_own;
		is_own = false;
		tacho_cupti.ActivityRegisterTimestampCallback(other);
	} else {
		/* CUPTI's own clock has the time of day as well */
		tacho_cupti.ActivityRegisterTimestampCallback(now);
		is_own = was_own;
	}
	atomic_store(&npairs, 0);
	cuda_clock_pair();
}

static uint64_t on_line(struct clock_pair a, struct clock_pair b, uint64_t time)
{
	double rate = b.time > a.time ? (double)(b.ticks - a.ticks) / (double)(b.time - a.time) : 1;

	return a.ticks + (uint64_t)(int64_t)((double)(int64_t)(time - a.time) * rate);
}

uint64_t cuda_ticks(uint64_t time)
{
	uint32_t n = atomic_load(&npairs), oldest = n > PAIRS ? n - PAIRS + 1 : 0;
	struct clock_pair later;

	if (is_own) {
		double ticks = (double)(int64_t)(time - base_ns) / ns_per_tick;

		return base_ticks + (uint64_t)(int64_t)(ticks < 0 ? ticks - 0.5 : ticks + 0.5);
	}
	if (!n)
		return time;
	later = pairs[(n - 1) % PAIRS];
	if (time >= later.time || n == 1)
		return on_line(n > FEW ? pairs[(n - FEW) % PAIRS] : first, later, time);
	for (uint32_t i = n - 1; i-- > oldest;) {
		struct clock_pair pair = pairs[i % PAIRS];

		if (pair.time <= time)
			return on_line(pair, later, time);
		later = pair;
	}
	/* before the oldest that is kept, or before them all */
	return on_line(first, oldest ? later : pairs[(n - 1) % PAIRS], time);
}

bool cuda_is_recorded(uint64_t start, uint64_t end)
{
	return start + SLACK_TICKS >= attach && end <= clock_ticks() + SLACK_TICKS;
}
