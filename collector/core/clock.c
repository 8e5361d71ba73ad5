/*
 * clock.c - the process's clock: the processor's counter where the kernel uses it as clocksource
 * (the invariant TSC, or cntvct of aarch64), else CLOCK_MONOTONIC; and its pairs with the system's
 * clocks, which give its rate.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/clock.h"
#include "core/sys.h"

bool tacho_clock_is_tsc;

/* Test hook: nodes of one machine share a clock, so a wrong one must be put on. */
static struct {
	bool is_on;
	int64_t offset_ns, drift_ppb;
} skew;

/*
 * How far CLOCK_MONOTONIC of the process's time namespace is ahead of the machine's: with that taken off,
 * processes of all namespaces have one clock. `apart_ns` is CLOCK_REALTIME, which no namespace
 * changes, less CLOCK_MONOTONIC as the process sees it.
 */
static struct {
	int64_t offset_ns, apart_ns;
} namespace;

#define APART_LEAST 1000000000 /* ns: less are steps of the clock by NTP */

static uint64_t true_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec -
		(id == CLOCK_MONOTONIC ? (uint64_t) namespace.offset_ns : 0);
}

static uint64_t system_ns(clockid_t id)
{
	uint64_t ns = true_ns(id);

	/* the drift counts from boot, so that all processes of a node agree */
	if (skew.is_on)
		ns += (uint64_t)(skew.offset_ns +
			(int64_t)((__int128)true_ns(CLOCK_MONOTONIC) * skew.drift_ppb /
				1000000000));
	return ns;
}

/*
 * TACHO_TEST_CLOCK=HOST:OFFSET_NS:DRIFT_PPB,… puts the clock of a host forward
 * and makes it run fast.
 */
static void skew_read(void)
{
	const char *at = getenv("TACHO_TEST_CLOCK");
	char host[65] = "";
	size_t n;

	gethostname(host, sizeof(host) - 1);
	n = strlen(host);
	for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		char *end;

		if (strncmp(at, host, n) != 0 || at[n] != ':')
			continue;
		skew.offset_ns = strtoll(at + n + 1, &end, 10);
		skew.drift_ppb = *end == ':' ? strtoll(end + 1, NULL, 10) : 0;
		skew.is_on = true;
	}
}

uint64_t clock_monotonic_ns(void)
{
	return system_ns(CLOCK_MONOTONIC);
}

/* What the kernel calls the counter that clock_ticks() reads. */
#if defined(__aarch64__)
static const char clocksource[] = "arch_sys_counter\n";
#else
static const char clocksource[] = "tsc\n";
#endif

static bool tsc_is_invariant(void)
{
#if defined(__aarch64__)
	return true; /* of one frequency for all cores, by the architecture */
#elif defined(__x86_64__)
	unsigned a, b, c, d = 0;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
	return false;
#endif
}

static int64_t apart_ns(void)
{
	return (int64_t)(true_ns(CLOCK_REALTIME) - true_ns(CLOCK_MONOTONIC)) - namespace.offset_ns;
}

/* "monotonic SECONDS NANOSECONDS", the first line of the file. */
static void namespace_read(void)
{
	char text[128] = "";
	int fd = sys_open("/proc/self/timens_offsets", O_RDONLY, 0);
	const char *at = fd >= 0 && sys_read(fd, text, sizeof(text) - 1) > 0
		? strpbrk(text, "-0123456789")
		: NULL;
	char *end;

	if (fd >= 0)
		sys_close(fd);
	namespace.offset_ns = 0;
	if (at) {
		namespace.offset_ns = strtoll(at, &end, 10) * 1000000000;
		namespace.offset_ns += strtoll(end, NULL, 10);
	}
	namespace.apart_ns = apart_ns();
}

void clock_forked(void)
{
	int64_t moved = apart_ns() - namespace.apart_ns;

	if (moved > APART_LEAST || moved < -APART_LEAST)
		namespace_read();
}

void clock_choose(void)
{
	char name[32];

	skew_read();
	namespace_read();
	if (skew.is_on || !tsc_is_invariant())
		return;
	if (task_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", name,
		    sizeof(name)) > 0)
		tacho_clock_is_tsc = !strcmp(name, clocksource);
}

struct spool_def_clock clock_read(void)
{
	struct spool_def_clock best = { 0 }, now;
	uint64_t before, after, width = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		before = clock_ticks();
		now.monotonic_ns = system_ns(CLOCK_MONOTONIC);
		now.realtime_ns = system_ns(CLOCK_REALTIME);
		after = clock_ticks();
		now.ticks = tacho_clock_is_tsc ? before + (after - before) / 2 : now.monotonic_ns;
		if (after - before < width) {
			width = after - before;
			best = now;
		}
	}
	return best;
}
