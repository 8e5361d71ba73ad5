/* clock.h - choosing the process's clock and pairing it with the system's. */
#ifndef COLLECTOR_CLOCK_H
#define COLLECTOR_CLOCK_H

#include "core/span.h"

/* Chooses the clock; once, before the first record. */
void clock_choose(void) HIDDEN;

/* In a forked child, which may be in another time namespace than its parent. */
void clock_forked(void) HIDDEN;

/* Reads ticks, CLOCK_MONOTONIC and CLOCK_REALTIME as close together as a few tries allow. */
struct spool_def_clock clock_read(void) HIDDEN;

#endif
