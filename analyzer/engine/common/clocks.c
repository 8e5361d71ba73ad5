/* clocks.c - the clocks of a track in all scenarios of the replay; see ../mpi/replay.h. */
#include "config.h"

#include "engine/engine.h"

/*
 * All bits of the scenarios that do without a host state, as they do without waits for the host or
 * for files: there are many such moments, and it takes no branch.
 */
static const int64_t host_stops[SCENARIO_COUNT] = {
#define SCENARIO(id, freedoms) -(int64_t)(((freedoms)&FREE_HOST) != 0),
	REPLAY_SCENARIOS(SCENARIO)
#undef SCENARIO
}, io_stops[SCENARIO_COUNT] = {
#define SCENARIO(id, freedoms) -(int64_t)(((freedoms)&FREE_IO) != 0),
	REPLAY_SCENARIOS(SCENARIO)
#undef SCENARIO
}, nothing_stops[SCENARIO_COUNT];

static const int64_t *const state_stops[HOST_STATE_COUNT] = {
	[HOST_USEFUL] = host_stops,
	[HOST_CUDA] = host_stops,
	[HOST_WAIT] = host_stops,
	[HOST_OMP_IDLE] = host_stops,
	[HOST_IO] = io_stops,
};

static const int64_t *stops_of(enum host_state state)
{
	return state_stops[state] ? state_stops[state] : nothing_stops;
}

void replay_spend(struct track *track, enum host_state state, int64_t ns)
{
	const int64_t *stops = stops_of(state);

	if (!track->engine->device.any || track->engine->tables.summary)
		return; /* only the first two scenarios are inspected */
	for (int s = 0; s < SCENARIO_COUNT; s++)
		track->replay.shift[s] -= ns & stops[s];
}

void network_spend(struct track *track, int64_t t)
{
	int64_t gain = network_gain(&track->engine->network, track->state, t - track->since);

	if (!gain)
		return;
	births_clock(track, t); /* calls that began meanwhile have less of it */
	track->replay.shift[SCENARIO_NETWORK] -= gain;
}

void replay_moment(const struct track *track, int64_t t, struct moment *restrict moment)
{
	const int64_t *stops = stops_of(track->state);
	int64_t lasts = t - track->since;

	if (track->engine->tables.summary) {
		*moment = (struct moment){ .t = t, .by = track->process };
		return;
	}
	moment->t = t;
	moment->by = track->process;
	for (int s = 0; s < SCENARIO_COUNT; s++)
		moment->clock[s] = t + track->replay.shift[s] - (lasts & stops[s]);
	moment->clock[SCENARIO_NETWORK] -= network_gain(&track->engine->network, track->state,
		lasts);
}

void replay_settle(struct track *track, const struct moment *gate, int64_t t, enum freedom freedom)
{
	const struct moment *entered = &track->replay.entered.moment;
	int64_t rest = replay_residual(&track->engine->replay, gate->t, t);
	unsigned free = (unsigned)freedom & ~(unsigned)COUPLED;

	births_clock(track, t);
	for (int s = 0; s < SCENARIO_COUNT; s++) {
		int64_t kept = replay_kept(s, rest);

		if (!((scenario_freedoms[s] | (unsigned)freedom) & COUPLED))
			track->replay.shift[s] = entered->clock[s] - entered->t;
		else
			track->replay.shift[s] = gate->clock[s] - t +
				(scenario_freedoms[s] & free ? 0 : kept);
	}
	track->engine->replay.nmismatched += track->replay.shift[SCENARIO_IDENTITY] != 0;
}

void arrival_max(struct arrival *to, const struct arrival *from)
{
	if (from->t > to->t)
		to->t = from->t, to->by = from->by, to->path = from->path;
	for (int s = 0; s < SCENARIO_COUNT; s++)
		to->clock[s] = from->clock[s] > to->clock[s] ? from->clock[s] : to->clock[s];
}
