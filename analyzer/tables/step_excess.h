/*
 * step_excess.h - how much longer than the others a rank took for its own part of a step, and the
 * parts that such time consists of.
 */
#ifndef ANALYZER_STEP_EXCESS_H
#define ANALYZER_STEP_EXCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct window_rank;

/* The rank had the step, and not outside of the capture window, where nobody knows what it did. */
bool step_is_captured(const struct window_rank *rank);

/*
 * Sets `excess` of each rank whose step was captured, its own time then minus that of `against`:
 * the one of the others whose own time is their (lower) median. Returns how many there are; with
 * fewer than 2, excess is 0.
 */
size_t step_excess_set(struct window_rank *ranks, size_t n);

/*
 * The parts of own time, which is all but waiting for others in MPI and collective I/O; each is a
 * cause of being late: PART(enumerator, its name in the database). See docs/lateness.md.
 */
#define STEP_PARTS(PART)                                                                           \
	PART(COMPUTE, "compute")                                                                   \
	PART(HOST, "host")   /* devices idle while their host computes */                          \
	PART(QUEUE, "queue") /* devices idle for what was launched before */                       \
	PART(CUDA, "cuda")                                                                         \
	PART(WAIT, "wait") /* for whatever is not told below */                                    \
	PART(OMP, "omp_idle")                                                                      \
	PART(IO, "io")                                                                             \
	PART(LINK, "link")     /* moving data between ranks */                                     \
	PART(COPIES, "copies") /* between host and device */                                       \
	PART(SLEEP, "sleep")                                                                       \
	PART(READERS, "readers") /* waiting for own threads and children that read */

#define PART_NUMBER(id, name) PART_##id,
enum part { STEP_PARTS(PART_NUMBER) PART_COUNT };
#undef PART_NUMBER

/* Those of a rank's step, by its host. */
void step_parts(const struct window_rank *rank, int64_t ns[PART_COUNT]);

/* Sum of parts. */
int64_t parts_sum(const int64_t ns[PART_COUNT]);

#endif
