/*
 * metric_scaling.h - a run against a reference run of the same training:
 * scalabilities, global efficiency, speed-up. Nothing is clamped: caches and
 * clocks can make them more than 1.
 */
#ifndef ANALYZER_METRIC_SCALING_H
#define ANALYZER_METRIC_SCALING_H

#include <stdbool.h>
#include <stdint.h>

struct scaling_run {
	uint32_t n;			/* processes, or devices */
	double runtime;			/* ns */
	double parallel_efficiency;	/* of model mpi, or device */
	double work;			/* ns over all: host useful, or device compute */
	double instructions, cycles;	/* over all, in useful time; NaN: no counters */
};

/* NaN: undefined. */
struct scaling {
	double computation, instruction, ipc, frequency;
	double global_efficiency, speedup;
};

/*
 * computation = Σw₀/Σw, weak: × n/n₀; without counters the three that it is
 * the product of are NaN. speedup = T₀/T, weak: × n/n₀.
 */
struct scaling scaling_measure(const struct scaling_run *reference, const struct scaling_run *run,
		bool weak);

#endif
