/*
 * window.h - the stretches of the run that get their own figures: the run,
 * phases (all instances of a name together) and steps. Every rank brings its
 * own interval; time, states and ideal clocks add up over instances.
 */
#ifndef ANALYZER_WINDOW_H
#define ANALYZER_WINDOW_H

#include <stdint.h>

#include "model/model.h"
#include "engine/mpi/replay.h"
#include "tables/window_rank.h"

struct engine;
struct track;
struct event;

/* From the first start to the last end over ranks, as measured and on each scenario's clock. */
struct span_of_ranks {
	int64_t first, last, clock_first[SCENARIO_COUNT], clock_last[SCENARIO_COUNT];
	uint32_t n;
};

struct phase_window {
	char *name;
	ARRAY_OF(struct span_of_ranks) instances; /* the k-th ones of all ranks together */
	/* each rank alone, in no order; as long as there is room, else none */
	ARRAY_OF(struct span_of_ranks) intervals;
	struct window_rank *ranks; /* by process */
	struct device_window *device;
};

struct step_window {
	int64_t n;
	struct span_of_ranks span;
	struct window_rank *ranks; /* by process */
	uint32_t nranks;
	int64_t nopen; /* calls of all ranks; below 0: it is known before the calls are */
	struct device_window *device;
};

/* Phases around each other, once for each way in which they nest. */
struct phase_nest {
	struct device_window *window; /* where devices add up their time in the innermost */
	struct phase_nest *outer;
};

/*
 * Sums over all steps, in detail or summed: their length, the longest own time of a rank, and each
 * process's time besides communication. Over the steps after the last step that is not in detail,
 * and with partners for all messages: by how much they are longer than on an ideal network.
 */
struct steps_total {
	bool any, unknown; /* a step is not in detail; its sums are not known */
	double length, own, *outside;
	ARRAY_OF(float) slower;
};

/* Adds a step up; on an ideal network it lasts as long as a rank has most to do besides communication. */
void window_sums_add(struct engine *engine, const struct step_window *step);

struct windows {
	ARRAY_OF(struct phase_window) phases;
	ARRAY_OF(struct step_window *) steps; /* open ones; NULL: written */
	struct idmap step_numbers;
	/* by hash of the name, of the pair; the next key where two have the same */
	struct idmap phase_numbers, nest_numbers;
	uint64_t nsteps;    /* windows written */
	int64_t first_step; /* number of the first */
	struct step_window *spare;
	ARRAY_OF(struct phase_nest *) nests;
	size_t nintervals; /* of all phases */
	struct steps_total sums;
	/*
	 * of steps in detail: their length, their length on an ideal network, and each process's
	 * time besides it
	 */
	double detail, detail_ideal, *detail_outside;
};

/*
 * A marked region begins or ends on the main thread of a rank. `truncated`: it had not ended when
 * the process did.
 */
void window_enter(struct track *track, const struct region *region, const struct event *event);
void window_leave(struct track *track, const struct event *event, bool truncated);

/*
 * The end of MPI_Init and the begin of MPI_Finalize, or the end of the rank: the part between is the
 * window WINDOW_ACTIVE, with figures but no rows in table phase.
 */
#define WINDOW_ACTIVE "active"
void window_active_enter(struct track *track, int64_t t, int64_t init_ns);
void window_active_leave(struct track *track, int64_t t);

/* No name that a program can give. */
#define ACTIVE_NAME "\001active"

/* That of all ranks: it is kept as a phase is. */
bool phase_is_active(const struct phase_window *phase);

/* Whether there are others. */
bool windows_have_phases(const struct windows *windows);

/* "phase:NAME", or WINDOW_ACTIVE; to be freed. NULL without memory. */
char *phase_window_name(const struct phase_window *phase);

/* The same for step n, which is not marked but found. */
void window_found_enter(struct track *track, int64_t t, int64_t n);
void window_found_leave(struct track *track, int64_t t);

/*
 * The open phases, NULL: none. Of a thread now, if it is its process's main thread; of a process at
 * t, to which all its threads have come.
 */
struct phase_nest *window_phase_open(const struct track *track);
struct phase_nest *window_phase_at(const struct track *track, int64_t t);

/* A rank waited for process `by` in an MPI call that is about to end. */
void window_waited(struct track *track, uint32_t by, int64_t ns);

/* The innermost step that the track is in; NULL: none. */
struct step_window *window_step(const struct track *track);

/* What a rank has waited in a call of its step for process `by`, which did not gate it. */
struct held {
	int64_t step, ns;
	uint32_t process, by;
};

void window_held(struct engine *engine, const struct held *held);

/*
 * Step at place `number` is complete, or will not become so: its rows; in a reader it is sent to
 * the writer.
 */
void step_end(struct engine *engine, uint32_t number);

/* A rank's part of a window, as a reader sends it. */
struct window_part {
	uint32_t process;
	struct window_rank rank;
};

/* Adds a reader's message: of a step, or of the instances of a phase and its ranks' intervals. */
void window_step_merge(struct engine *engine, int64_t n, const struct span_of_ranks *span,
	const struct window_part *parts, size_t nparts);
void window_phase_merge(struct engine *engine, const char *name,
	const struct span_of_ranks *instances, size_t ninstances, size_t nintervals,
	const struct window_part *parts, size_t nparts);

/* Intervals of phases that are all there; of many none are kept. */
size_t phase_intervals(const struct windows *windows, const struct phase_window *phase);

/* --- window_spans.c --- */

struct open_window;
struct moment;
void window_span_add(struct span_of_ranks *span, const struct moment *first,
	const struct moment *last);
void window_span_merge(struct span_of_ranks *to, const struct span_of_ranks *from);

/* Puts what overlaps into one. Number of the rest, in the order of time. */
size_t window_spans_unite(struct span_of_ranks *spans, size_t count);

/* Where one has no room none counts, of any phase. */
void phase_interval_add(struct windows *windows, struct phase_window *phase,
	const struct span_of_ranks *interval);
void phase_intervals_leave(struct windows *windows);

/*
 * Where ranks have the phase unequally often, as one that also writes the checkpoints of others,
 * the k-th instances may be far from each other, with much time between them. Then the overlapping
 * ones are one instance.
 */
void phase_pair(struct engine *engine, struct phase_window *phase);

/* --- for window_active.c --- */

uint32_t window_phase_find(struct engine *engine, const char *name);
void window_open(struct track *track, struct open_window *window, int64_t t);
void window_rank_add(struct window_rank *rank, const struct track *track,
	const struct open_window *window, int64_t t);

/* Writes the steps that some rank lacks, then phases and the run. */
void windows_finish(struct engine *engine);
void windows_free(struct windows *windows);

#endif
