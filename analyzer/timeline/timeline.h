/*
 * timeline.h - what the pictures of a run over time are drawn from. The whole
 * run: the shares of each state of ranks and devices in at most 512 bins,
 * gathered while the locations are read (timeline.c). One representative
 * step: the intervals of all its threads and streams, by a second look at
 * that stretch of the trace only (timeline_step.c). Bounded whatever the
 * length of the trace.
 */
#ifndef ANALYZER_TIMELINE_H
#define ANALYZER_TIMELINE_H

#include <stdint.h>

struct analysis;
struct track;

/*
 * Bins begin at time 0. Where the archive does not tell its length, or it is longer than that,
 * pairs of bins are joined when they are full, so that width is a power of two of what it was.
 */
struct timeline {
	int64_t width; /* of a bin, ns; 0: nothing is kept */
	uint32_t bin, nstates;
	float *ns; /* by bin and state */
};

struct timelines {
	uint32_t nbins;
	int64_t width; /* of a bin at first */
	struct timeline *devices;
};

/* Decides on bins, prepares the devices. 0, or -1 without memory (reported). */
int timelines_open(struct analysis *analysis);
void timelines_close(struct analysis *analysis);

/* Begins the timeline of a rank's main thread; others have none. */
void timeline_open(struct track *track);

/* The track's present state lasted up to t: fills the bins that end until then. Where the present
 * one ends; INT64_MAX: it has none. */
int64_t timeline_cross(struct track *track, int64_t t);

/* A device was in `state` of enum device_state for `ns` from `start` on. */
void timeline_device(struct analysis *analysis, uint32_t device, int64_t start, int64_t ns,
	uint32_t state);

/* The rows of all ranks and devices, behind the end of the run. */
void timelines_write(struct analysis *analysis);

/* Those of one location, which is over; nothing of it is kept. */
void timeline_write(struct track *track);

/*
 * Chooses a representative step by the rows of the table step, reads its stretch of the trace again
 * and writes its rows. Without steps it does nothing.
 */
void timeline_step_write(struct analysis *analysis);

#endif
