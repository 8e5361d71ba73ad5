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
#include "tables/call.h"
#include "tables/counters_series.h"
#include "db/db.h"
#include "model/model.h"
#include "tables/rate.h"
#include "engine/mpi/replay.h"
#include "engine/gpu/replay_device.h"
#include "engine/peers.h"
#include "engine/sink.h"
#include "parallel/split.h"
#include "engine/read/step_find.h"
#include "tables/step_row.h"
#include "tables/step_rest.h"
#include "engine/read/track.h"
#include "engine/read/window.h"
#include "tables/window_row.h"

struct analysis {
	const struct analyze_options *options;
	struct archive archive;
	struct model model;
	struct db db;
	struct track *tracks; /* one per location */
	struct windows windows;
	struct found_steps found;
	const struct sink *sink;
	struct peers peers;
	struct split split;
	struct replay replay;
	struct device_replay device;
	struct rates *rates; /* per node, by calls */
	struct counters counters;
	struct call_table *calls;    /* per process */
	struct call_rows *call_rows; /* where their rows are written */
	struct io_table *files;	     /* per process */
	struct timelines timelines;
	struct step_rows step_rows;
	struct step_rests step_rests;
	struct window_rows host_rows, device_rows, metric_rows;
	int64_t start, end; /* of the run: first to last event of all locations */
	/*
	 * Of that, before the first and after the last event of the ranks, their threads and all
	 * streams. Only others lived, as loaders do that wait for a killed rank: no time of the
	 * models' figures.
	 */
	int64_t rankless;
	uint64_t nevents;
	bool any;    /* there is an event */
	bool failed; /* out of memory or the like (reported) */
};

/* Without memory (reported) the track goes no further, and the analysis fails. */
static inline void track_fail(struct track *track)
{
	track->analysis->failed = true;
	track->cursor.ended = true;
}

#endif
