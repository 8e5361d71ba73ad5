/*
 * replay_poll.c - waiting by polls that find nothing, up to the call that succeeds; see replay.h.
 * On an ideal network the last poll comes when its gate opens, and the polls before are not needed.
 * The thread's work between polls, outside of MPI, stays; read/track_poll.c has the rule for time
 * that belongs to polling.
 */
#include "config.h"

#include "engine/engine.h"

static int64_t in_mpi(const struct track *track, int64_t t)
{
	int64_t spent[HOST_STATE_COUNT], ns = 0;

	track_spent(track, t, spent);
	for (int state = 0; state < HOST_STATE_COUNT; state++)
		ns += host_communicates(state) ? spent[state] : 0;
	return ns;
}

/* The clocks continued in between, but for the part that was polling. */
void polls_enter(struct track *track)
{
	struct poll_run *polls = &track->replay.polls;
	const struct moment *entered = &track->replay.entered.moment;
	int64_t polling = in_mpi(track, entered->t) - polls->mpi;

	polls->base.t += entered->t - polls->left - polling;
	for (int s = 0; s < SCENARIO_COUNT; s++)
		polls->base.clock[s] += entered->clock[s] - polls->left - polls->shift[s] - polling;
}

void polls_leave(struct track *track, bool is_poll, int64_t t)
{
	struct poll_run *polls = &track->replay.polls;

	if (is_poll && !polls->open)
		polls->base = track->replay.entered.moment;
	polls->open = is_poll;
	if (!is_poll)
		return;
	polls->left = t;
	polls->mpi = in_mpi(track, t);
	for (int s = 0; s < SCENARIO_COUNT; s++)
		polls->shift[s] = track->replay.shift[s];
}
