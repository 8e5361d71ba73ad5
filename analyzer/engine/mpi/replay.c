/*
 * replay.c - begin and end of the replay and of a call, and the checks after all events; see
 * replay.h.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"
#include "tables/check_row.h"

int replay_open(struct engine *engine)
{
	struct replay *replay = &engine->replay;

	replay->free_channel = replay->free_request = IDMAP_NONE;
	replay->processes = calloc(engine->tables.model.processes.n + 1,
		sizeof(*replay->processes));
	replay->collectives_of = calloc(engine->tables.model.comms.n + 1,
		sizeof(*replay->collectives_of));
	replay->numbers_of = calloc(engine->tables.model.comms.n + 1, sizeof(*replay->numbers_of));
	if (!replay->processes || !replay->collectives_of || !replay->numbers_of) {
		log_error("out of memory for %zu processes", engine->tables.model.processes.n);
		return -1;
	}
	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct location *at = &engine->tables.model.locations.at[i];
		struct replay_process *process;

		if (at->process == MODEL_NONE || at->in->type != OTF2_LOCATION_TYPE_CPU_THREAD)
			continue;
		process = &replay->processes[at->process];
		if (!process->nthreads++)
			process->first_thread = (uint32_t)i;
		process->end_thread = (uint32_t)i + 1;
	}
	return 0;
}

void replay_close(struct engine *engine)
{
	struct replay *replay = &engine->replay;

	for (size_t i = 0; replay->processes && i < engine->tables.model.processes.n; i++) {
		idmap_free(&replay->processes[i].requests);
		idmap_free(&replay->processes[i].sequences);
		free(replay->processes[i].receives.at);
		free(replay->processes[i].probed.at);
	}
	for (size_t i = 0; i < replay->blocks.n; i++)
		free(replay->blocks.at[i]);
	for (size_t i = 0; i < replay->collectives.n; i++)
		collective_drop(replay->collectives.at[i]);
	free(replay->processes);
	free(replay->limits);
	free(replay->channels.at);
	free(replay->requests.at);
	free(replay->collectives.at);
	free(replay->blocks.at);
	free(replay->sums.at);
	free(replay->socket_sums.at);
	free(replay->lines.at);
	free(replay->collectives_of);
	free(replay->numbers_of);
	free(replay->wakes.at);
	for (size_t i = 0; i < replay->texts.n; i++)
		free(replay->texts.at[i]);
	free(replay->texts.at);
	idmap_free(&replay->channel_numbers);
	idmap_free(&replay->instance_numbers);
	idmap_free(&replay->sum_numbers);
	idmap_free(&replay->socket_numbers);
}

void replay_enter(struct track *track, int64_t t, const struct region *call)
{
	track->replay.call = call;
	replay_moment(track, t, &track->replay.entered.moment);
	path_to(track, t, &track->replay.entered.path);
	track->replay.communicates = track->replay.unknown = track->replay.finds = false;
	if (track->replay.polls.open)
		polls_enter(track);
	track->replay.completes_file = false;
	track->replay.place = track->replay.bytes = 0;
	track->replay.needs.n = track->replay.lates.n = track->replay.nsettled = 0;
}

/* Messages that are known of at two readers count where their side is. */
static bool is_counted(const struct engine *engine, const struct channel *channel)
{
	return !peers_is_remote(&engine->peers,
		channel->side == SIDE_SEND ? channel->from : channel->to);
}

void replay_count(struct engine *engine)
{
	struct replay *replay = &engine->replay;

	for (size_t i = 0; i < replay->channels.n; i++)
		for (const struct message *m = replay->channels.at[i].head; m; m = m->next)
			replay->nunmatched[replay->channels.at[i].side] +=
				m->known[replay->channels.at[i].side] &&
				is_counted(engine, &replay->channels.at[i]);
	/* found, and never received */
	for (size_t p = 0; p < engine->tables.model.processes.n; p++)
		for (size_t i = 0; i < replay->processes[p].probed.n; i++) {
			const struct probed *at = &replay->processes[p].probed.at[i];

			replay->nunmatched[SIDE_SEND] += at->message->known[SIDE_SEND] &&
				!peers_is_remote(&engine->peers, at->channel.from);
		}
	collectives_count(engine);
}

void replay_finish(struct engine *engine)
{
	struct replay *replay = &engine->replay;
	const char *window = property_find(&engine->tables.archive.properties,
		PROPERTY_ARCHIVE_WINDOW);

	if (engine->tables.summary)
		return;
	if (!engine->peers.n)
		replay_count(engine);
	collectives_finish(engine);
	sockets_finish(engine);
	check_write(&engine->tables.db, "run", "identity_replay", replay->nmismatched == 0,
		"%" PRIu64 " calls did not end when they did", replay->nmismatched);
	/* one node has one clock */
	check_write(&engine->tables.db, "run", "causality", replay->nskewed == 0,
		"%" PRIu64 " calls end before what they waited "
		"for began, by up to %" PRId64 " ns: %s",
		replay->nskewed, replay->worst_skew,
		engine->tables.model.nodes.n > 1 ? "clocks are skewed"
						 : "the trace does not have their partners");
	/*
	 * What is outside a capture window, or was lost, has no partner inside. The ranks of a run that
	 * continues are read one after the other, so the last operations may lack some.
	 */
	if ((window && strncmp(window, "without", 7) != 0) || track_any_lost(engine) ||
		track_any_summed(engine) ||
		property_find(&engine->tables.archive.properties, PROPERTY_ARCHIVE_SNAPSHOT))
		return;
	check_write(&engine->tables.db, "run", "messages_match",
		replay->nunmatched[SIDE_SEND] + replay->nunmatched[SIDE_RECV] == 0,
		"%" PRIu64 " sends without their receive, %" PRIu64 " receives without their send",
		replay->nunmatched[SIDE_SEND], replay->nunmatched[SIDE_RECV]);
	check_write(&engine->tables.db, "run", "collectives_complete",
		replay->nincomplete + replay->nconfused == 0,
		"%" PRIu64 " collectives lack members, %" PRIu64
		" calls name another operation than the others did",
		replay->nincomplete, replay->nconfused);
}
