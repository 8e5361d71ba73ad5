/* value.h - values that the program gives by tacho_metric(): loss, accuracy… */
#ifndef COLLECTOR_VALUE_H
#define COLLECTOR_VALUE_H

#include "core/span.h"

/* Defines a value, unless it is one that is left out (struct spool_def_value). */
void value_note(const char *name, uint64_t bits) HIDDEN;

/* The process begins that step. */
void value_step(uint64_t number) HIDDEN;

/* In a forked child: it has given none. */
void value_forked(void) HIDDEN;

#endif
