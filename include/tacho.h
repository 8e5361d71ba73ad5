/*
 * tacho.h - markers for programs that want to name their phases and steps.
 * Header only: nothing to link. Without libtacho preloaded every call costs
 * the test of a pointer. Thread-safe; names are copied.
 *
 *	tacho_phase_begin("train");
 *	for (n = 0; n < steps; n++) {
 *		tacho_step_begin(n);
 *		...
 *		tacho_step_end(samples);
 *		tacho_metric("loss", loss);
 *	}
 *	tacho_phase_end();
 *
 * Begin and end must come from the same thread and nest properly. Phases
 * that tacho knows by name: warm-up, train, validate, test, checkpoint;
 * others are shown under their own name.
 */
#ifndef TACHO_H
#define TACHO_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by libtacho when it is preloaded, else NULL. Not to be called directly. */
extern void tacho_mark_begin(int kind, const char *name, uint64_t value) __attribute__((weak));
extern void tacho_mark_end(int kind, uint64_t value) __attribute__((weak));

/*
 * Marks the begin of a phase, which analyze evaluates separately: train, validate, test,
 * checkpoint…
 */
static inline void tacho_phase_begin(const char *name)
{
	if (tacho_mark_begin)
		tacho_mark_begin(2, name, 0);
}

static inline void tacho_phase_end(void)
{
	if (tacho_mark_end)
		tacho_mark_end(2, 0);
}

/*
 * One training step; `number` counts from 0 over the run and is the same on all ranks. Steps do not
 * nest: a step that was not ended ends where the next one begins.
 */
static inline void tacho_step_begin(uint64_t number)
{
	if (tacho_mark_begin)
		tacho_mark_begin(3, "step", number);
}

/* Ends the step; `samples` were processed in it by this rank. */
static inline void tacho_step_end(uint64_t samples)
{
	if (tacho_mark_end)
		tacho_mark_end(3, samples);
}

/* Any other part of the program worth a name in the timeline. */
static inline void tacho_region_begin(const char *name)
{
	if (tacho_mark_begin)
		tacho_mark_begin(1, name, 0);
}

static inline void tacho_region_end(void)
{
	if (tacho_mark_end)
		tacho_mark_end(1, 0);
}

/*
 * A figure of how far the training has come, such as "loss" or "accuracy", each time that it is known. It
 * counts for the step that was begun last; where several ranks give one, the run has their mean.
 */
static inline void tacho_metric(const char *name, double value)
{
	union {
		double value;
		uint64_t bits;
	} as = { value };

	if (tacho_mark_begin)
		tacho_mark_begin(4, name, as.bits);
}

/* What the two below have in common. */
static inline void tacho_flops_say(const char *unit, double flops)
{
	char name[64];

	if (!tacho_mark_begin)
		return;
	snprintf(name, sizeof(name), "tacho:flops_per_%s=%.15g", unit, flops);
	tacho_region_begin(name);
	tacho_region_end();
}

/*
 * Floating-point operations to train with one sample, forward and backward, or, where samples are
 * not known, of one step of all ranks together. Needed once, with the same value on all ranks:
 * tacho computes the run's model FLOP/s utilisation from it.
 */
static inline void tacho_flops_per_sample(double flops)
{
	tacho_flops_say("sample", flops);
}

static inline void tacho_flops_per_step(double flops)
{
	tacho_flops_say("step", flops);
}

#ifdef __cplusplus
}
#endif

#endif
