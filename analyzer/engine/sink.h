/*
 * sink.h - the consumer of complete windows, with the sums of all ranks and devices: analyze/
 * decides how they are used.
 */
#ifndef ANALYZER_SINK_H
#define ANALYZER_SINK_H

#include <stdint.h>

struct engine;
struct device_sums;
struct span_of_ranks;
struct step_window;
struct window_rank;

struct sink {
	/*
	 * A window (run, phase:NAME) of `measured` ns, `ideal` on the ideal network; `ranks` by
	 * process.
	 */
	void (*window)(struct engine *engine, const char *name, int64_t measured, int64_t ideal,
		const struct window_rank *ranks);
	/* A step, with what its ranks waited. */
	void (*step)(struct engine *engine, const struct step_window *step);
	/* The time of all devices in a window, with its length in each scenario; the run's by its ranks. */
	void (*devices)(struct engine *engine, const char *name, int64_t measured,
		const int64_t replayed[], const struct device_sums *sums);
	void (*devices_run)(struct engine *engine, const struct span_of_ranks *span);
};

#endif
