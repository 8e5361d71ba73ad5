/*
 * engine.h - the state of the engine while the locations are read, and the figures made from it
 * afterwards. Data that grows with the trace goes to the database at once; this state holds only
 * the needs of the run, its phases and its open steps and operations.
 */
#ifndef ANALYZER_ENGINE_H
#define ANALYZER_ENGINE_H

#include "engine/gpu/replay_device.h"
#include "engine/common/collective_rest.h"
#include "engine/common/watch.h"
#include "engine/mpi/replay.h"
#include "engine/peers.h"
#include "engine/read/step_find.h"
#include "engine/window/step_rest.h"
#include "engine/read/track.h"
#include "engine/window/window.h"
#include "engine/sink.h"
#include "tables/tables.h"
#include "timeline/timeline.h"

struct engine {
	struct tables tables;
	const struct sink *sink;
	struct peers peers;
	int64_t launch_latency_ns; /* gaps of a device up to this are launch latency; 0: 10 µs */
	struct network network;	   /* of the scenario NETWORK */
	struct track *tracks;	   /* one per location */
	struct windows windows;
	struct found_steps found;
	struct replay replay;
	struct device_replay device;
	struct timelines timelines;
	struct step_rests step_rests;
	struct collective_rests collective_rests;
	int64_t start, end; /* of the run: first to last event of all locations */
	/* the same of the attempt that the ranks are of, where others were made: figures are of that */
	int64_t own_start, own_end;
	/*
	 * The part of the latter before the first and after the last event of the ranks, their
	 * threads and all streams. Only other processes lived then, as loaders that wait for a
	 * killed rank: the models' figures leave this time out.
	 */
	int64_t rankless;
	uint64_t nevents;
	bool any; /* there is an event */
};

static inline struct model *track_model(const struct track *track)
{
	return &track->engine->tables.model;
}

/* Without memory (reported) the track goes no further, and the analysis fails. */
static inline void track_fail(struct track *track)
{
	track->engine->tables.failed = true;
	track->cursor.ended = true;
}

#endif
