/*
 * timeline.h - the data of the pictures of a run over time. The whole run: the shares of each state
 * of ranks and devices in at most 512 bins, gathered while the locations are read (timeline.c).
 * Some steps: the intervals of all their threads and streams, from a second reading of these parts
 * of the trace only (timeline_step.c). Its size does not depend on the length of the trace.
 */
#ifndef ANALYZER_TIMELINE_H
#define ANALYZER_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/states.h"

struct cursor;
struct db;
struct tables;

/*
 * Bins begin at time 0. If the archive's length is missing or too short, pairs of bins are joined
 * when all are full, so that width grows by powers of two.
 */
struct timeline {
	int64_t width; /* of a bin, ns; 0: nothing is kept */
	uint32_t bin, nstates;
	float *ns;			  /* by bin and state */
	int64_t binned[HOST_STATE_COUNT]; /* of a thread: spent in the bins before */
};

struct timelines {
	uint32_t nbins;
	int64_t width; /* of a bin at first */
	struct timeline *devices;
};

/* Decides on bins, prepares the devices. 0, or -1 without memory (reported). */
int timelines_open(struct timelines *timelines, const struct tables *tables);
void timelines_close(struct timelines *timelines, const struct tables *tables);

/* Begins the timeline of a rank's main thread; others have none. 0, or -1 without memory (reported). */
int timeline_open(const struct timelines *timelines, struct timeline *timeline);

/* Where the present bin ends; INT64_MAX: it has none. */
int64_t timeline_border(const struct timeline *timeline);

/* The thread's present state lasted up to t: fills the bins that end until then. The border then. */
int64_t timeline_cross(const struct timelines *timelines, struct timeline *timeline,
	const struct host_now *now, int64_t t);

/*
 * A rank's main thread, which communicates in `state` (HOST_MPI, HOST_GLOO), has waited for other ranks from `from`
 * to `to`: so much of that state is shown as waiting.
 */
void timeline_waited(const struct timelines *timelines, struct timeline *timeline,
	enum host_state state, int64_t from, int64_t to);

/*
 * A device was in `state` of enum device_state for `ns` from `start` on. 0, or -1 without memory
 * (reported).
 */
int timeline_device(struct timelines *timelines, uint32_t device, int64_t start, int64_t ns,
	uint32_t state);

/* The rows of all devices, when all is read. */
void timelines_write(const struct timelines *timelines, struct tables *tables);

/* Those of a location, which is over at t; nothing of it is kept. `now` is NULL: it has no event. */
void timeline_write(const struct timelines *timelines, struct timeline *timeline,
	const struct host_now *now, int64_t t, struct db *db, uint32_t location);

/* What is known of the trace when it was read once. */
struct timeline_known {
	const struct cursor **cursors; /* by location: places in its file */
	bool handovers;		       /* find the thread that ended a wait */
	bool uncaptured;	       /* parts of the run lack detail */
};

/*
 * Chooses some steps by the rows of the table step, reads their stretches of the trace again and
 * writes their rows. Without steps it does nothing.
 */
void timeline_step_write(struct tables *tables, const struct timeline_known *known);

#endif
