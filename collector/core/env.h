/* env.h - notes the run's surroundings. */
#ifndef COLLECTOR_ENV_H
#define COLLECTOR_ENV_H

#include "core/span.h"

/* Writes what states which process and node this is; cheap, for every process. */
void env_identify(void) HIDDEN;

/* Writes the rest: host, variables, affinity. In the background, once per process. */
void env_capture(void) HIDDEN;

/*
 * Writes which CPUs the main thread may use, when that is new: programs and
 * their libraries bind themselves after they have started. The last one counts.
 */
void env_affinity(void) HIDDEN;

/* Whether a variable may be noted; its name has `n` bytes. */
bool env_allowed(const char *name, size_t n) HIDDEN;

/* Puts `n` bytes of NUL-terminated arguments into `text` as one line, without secrets. */
void env_mask(const char *args, size_t n, char *text, size_t size) HIDDEN;

/*
 * Measures the cost of recording a call (cost.c), as properties of the process. Takes some 20 us.
 */
void cost_write(void) HIDDEN;

#endif
