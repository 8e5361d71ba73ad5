/*
 * analysis.h - the state of one analysis, shared by the parts that build it
 * up while the locations are read (track, window, replay, rate, io) and by
 * those that turn it into figures (metric_*). What grows with the trace goes
 * to the database at once; here stands only what the run, its phases and its
 * open steps and operations need.
 */
#ifndef ANALYZER_ANALYSIS_H
#define ANALYZER_ANALYSIS_H

#include "analyze/analyze.h"
#include "tables/tables.h"
#include "engine/mpi/collective_rest.h"
#include "engine/mpi/replay.h"
#include "engine/gpu/replay_device.h"
#include "engine/peers.h"
#include "engine/sink.h"
#include "parallel/split.h"
#include "engine/read/step_find.h"
#include "engine/read/step_rest.h"
#include "engine/read/track.h"
#include "engine/read/window.h"

struct analysis {
	struct tables tables;
	const struct analyze_options *options;
	int64_t launch_latency_ns; /* gaps of a device up to this are launch latency; 0: 10 µs */
	struct track *tracks;	   /* one per location */
	struct windows windows;
	struct found_steps found;
	const struct sink *sink;
	struct peers peers;
	struct split split;
	struct replay replay;
	struct device_replay device;
	struct timelines timelines;
	struct step_rests step_rests;
	struct collective_rests collective_rests;
	int64_t start, end; /* of the run: first to last event of all locations */
	/*
	 * Of that, before the first and after the last event of the ranks, their threads and all
	 * streams. Only others lived, as loaders do that wait for a killed rank: no time of the
	 * models' figures.
	 */
	int64_t rankless;
	uint64_t nevents;
	bool any; /* there is an event */
};

/* Without memory (reported) the track goes no further, and the analysis fails. */
static inline void track_fail(struct track *track)
{
	track->analysis->tables.failed = true;
	track->cursor.ended = true;
}

#endif
