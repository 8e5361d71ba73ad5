/* sweep_load.h - the largest load within a bound, by bisection. For sweep_search.c. */
#ifndef ANALYZER_SWEEP_LOAD_H
#define ANALYZER_SWEEP_LOAD_H

#include <stdio.h>

#include "sweep/sweep.h"

size_t sweep_load_planned(const struct study *study);

/*
 * Halves the values of the knob again and again: those up to one that is within the bound, and those
 * from one on that is not, are left. As sweep_go().
 */
int sweep_load(struct sweep *sweep);

/* What was found. */
void sweep_load_say(FILE *out, const struct sweep *sweep);

#endif
