/* metric_scaling.c - see metric_scaling.h. */
#include "config.h"

#include <math.h>

#include "metric_scaling.h"

static double ratio(double a, double b)
{
	return b == 0 ? NAN : a / b;
}

struct scaling scaling_measure(const struct scaling_run *reference, const struct scaling_run *run,
		bool weak)
{
	double larger = weak ? ratio(run->n, reference->n) : 1;
	struct scaling scaling = {
		.computation = ratio(reference->work, run->work) * larger,
		.instruction = ratio(reference->instructions, run->instructions) * larger,
		.ipc = ratio(ratio(run->instructions, run->cycles),
		ratio(reference->instructions, reference->cycles)),
		.frequency = ratio(ratio(run->cycles, run->work),
			ratio(reference->cycles, reference->work)),
		.speedup = ratio(reference->runtime, run->runtime) * larger,
	};

	scaling.global_efficiency = run->parallel_efficiency * scaling.computation;
	return scaling;
}
