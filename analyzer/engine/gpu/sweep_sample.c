/*
 * sweep_sample.c - the error of the shares of a device's time where only a sample of the time is in
 * detail; see sweep.h. The time between two parts without detail is one piece of the sample. A
 * share is the sum of a state over all pieces divided by the sum of their times; its error is the
 * error of a ratio (Cochran, Sampling Techniques, 6.4).
 */
#include "config.h"

#include <math.h>

#include "base/student.h"
#include "engine/engine.h"

static double idle_of(const struct device_sums *sums)
{
	int64_t ns = 0;

	for (int state = DEVICE_IDLE_IO_WAIT; state <= DEVICE_IDLE_UNKNOWN; state++)
		ns += sums->ns[state];
	return (double)ns;
}

static double all_of(const struct device_sums *sums)
{
	int64_t ns = 0;

	for (int state = 0; state < DEVICE_SUMMED; state++)
		ns += sums->ns[state];
	return (double)ns;
}

static void part_add(struct sample_part *part, double x, double all)
{
	part->sum += x;
	part->squares += x * x;
	part->products += x * all;
}

void sweep_sample_note(struct sweep *sweep, bool summed)
{
	struct sweep_sample *sample = &sweep->sample;
	double all = all_of(&sweep->run) - sample->all;

	if (summed == sample->is_out)
		return;
	sample->is_out = summed;
	if (summed && sample->begun && all > 0) {
		sample->n++;
		part_add(&sample->time, all, all);
		part_add(&sample->busy, (double)sweep->run.ns[DEVICE_COMPUTE] - sample->compute,
			all);
		part_add(&sample->idling, idle_of(&sweep->run) - sample->idle, all);
	}
	sample->begun |= summed;
	sample->all = all_of(&sweep->run);
	sample->idle = idle_of(&sweep->run);
	sample->compute = (double)sweep->run.ns[DEVICE_COMPUTE];
}

double sweep_sample_error(const struct sweep_sample *sample, const struct sample_part *part)
{
	double n = (double)sample->n, ratio = part->sum / sample->time.sum, rest;

	if (sample->n < 2)
		return NAN;
	rest = part->squares - 2 * ratio * part->products + ratio * ratio * sample->time.squares;
	return student_t95(n - 1) * sqrt(fmax(rest, 0) / (n - 1) / n) / (sample->time.sum / n);
}
