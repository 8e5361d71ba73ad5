/*
 * clock.c - the process's clock: the invariant TSC where the kernel uses it as
 * clocksource, else CLOCK_MONOTONIC; and its pairs with the system's clocks.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "clock.h"
#include "sys.h"

bool tacho_clock_is_tsc;

static uint64_t system_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return system_ns(CLOCK_MONOTONIC);
}

static bool tsc_is_invariant(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d = 0;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
	return false;
#endif
}

void clock_choose(void)
{
	char name[16] = "";
	int fd;

	if (!tsc_is_invariant())
		return;
	fd = sys_open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY, 0);
	if (fd < 0)
		return;
	if (sys_read(fd, name, sizeof(name) - 1) > 0)
		tacho_clock_is_tsc = !strcmp(name, "tsc\n");
	sys_close(fd);
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
