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

/*
 * True if the rank had the step inside the capture window. Outside of it the rank's activity is
 * unknown.
 */
bool step_is_captured(const struct window_rank *rank);

/*
 * Sets `excess` of each rank whose step was captured: its local time minus the local time of
 * `against`, the other rank with the (lower) median local time. Returns the number of captured
 * ranks; with fewer than 2, excess is 0.
 */
size_t step_excess_set(struct window_rank *ranks, size_t n);

/*
 * The parts of own time, which is all but waiting for others in MPI and collective I/O; each is a
 * cause of being late: PART(enumerator, its name in the database). See docs/lateness.md.
 */
#define STEP_PARTS(PART)                                                                           \
	PART(COMPUTE, "compute")                                                                   \
	PART(HOST, "host")   /* devices idle while their host computes */                          \
	PART(QUEUE, "queue") /* devices idle before work launched earlier */                       \
	PART(CUDA, "cuda")                                                                         \
	PART(WAIT, "wait") /* for anything not listed below */                                     \
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
