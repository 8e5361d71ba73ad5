/*
 * replay_collective.c - instances of collectives: which members have arrived, which member gates
 * which, and the cost of the operation; see replay.h.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"
#include "tables/collective_row.h"

/*
 * The sequences that are counted separately on a communicator (files: FILE_STREAM and the next).
 * Where the archive gives the place of each collective, MPI's order holds: the order of the calls
 * of all threads. Else blocking and non-blocking collectives count separately, and so do main
 * threads and helpers: threads are not read in the order of their calls, and the ranks of a
 * training give the same operations to the same threads. Persistent ones always report their place,
 * which follows no order.
 */
enum { STARTS_BITS = 18, STREAMS = 8, NUMBERED_STREAM = 4, FILE_STREAM = 5, PERSISTENT_STREAM = 7 };

static bool is_persistent(uint64_t place)
{
	return place >> 32;
}

static uint64_t stream_of(const struct track *track, uint32_t comm, bool blocking, uint64_t place)
{
	bool is_main = track->engine->tables.model.locations.at[track->location].is_main;

	return (uint64_t)comm * STREAMS +
		(is_persistent(place)	? PERSISTENT_STREAM
				: place ? NUMBERED_STREAM
					: !blocking * 2 + !is_main);
}

/* Position of the process's next collective in a stream. */
static uint64_t sequence_next(struct replay_process *process, uint64_t stream)
{
	uint32_t n = idmap_find(&process->sequences, stream);

	n = n == IDMAP_NONE ? 0 : n;
	return idmap_set(&process->sequences, stream, n + 1) < 0 ? UINT64_MAX : n;
}

/* The same where it is recorded. */
static uint64_t sequence_numbered(struct replay_process *process, uint64_t stream, uint64_t place)
{
	uint32_t n = idmap_find(&process->sequences, stream);

	if (is_persistent(place)) /* a number is reused when no member is in its last instance */
		return (place >> 32 << STARTS_BITS | (place & ((1u << STARTS_BITS) - 1))) &
			UINT32_MAX;
	if (n != IDMAP_NONE && n >= place)
		return place - 1;
	return idmap_set(&process->sequences, stream, (uint32_t)place) < 0 ? UINT64_MAX : place - 1;
}

static void collective_free(struct engine *engine, uint32_t number)
{
	struct replay *replay = &engine->replay;
	struct collective *collective = replay->collectives.at[number];

	if (collective->key)
		idmap_set(&replay->instance_numbers, collective->key, IDMAP_NONE);
	if (collective->unreported)
		engine->peers.calls->dropped(engine, collective);
	collective_drop(collective);
	replay->collectives.at[number] = NULL;
	if (number < replay->free_collective)
		replay->free_collective = number;
}

void collective_drop(struct collective *collective)
{
	if (!collective)
		return;
	free(collective->starts);
	free(collective->groups);
	free(collective->calls);
	free(collective->there);
	free(collective->waiting.at);
	free(collective->parked);
	free(collective);
}

/* False: no memory. */
static bool groups_begin(const struct comm *comm, struct collective *collective)
{
	if (!comm->inter)
		return true;
	collective->groups = calloc(2, sizeof(*collective->groups));
	if (!collective->groups)
		return false;
	collective->groups[0].size = comm->nmembers;
	collective->groups[1].size = comm->nremote;
	return true;
}

/* False: no memory. */
static bool parked_begin(struct collective *collective)
{
	if (collective->gate != GATE_NEIGHBOURS)
		return true;
	collective->parked = malloc(collective->size * sizeof(*collective->parked));
	for (uint32_t i = 0; collective->parked && i < collective->size; i++)
		collective->parked[i] = MODEL_NONE;
	return collective->parked;
}

static struct collective *collective_new(struct engine *engine, uint64_t key, uint32_t comm,
	uint32_t op, uint32_t root)
{
	struct replay *replay = &engine->replay;
	struct collective *collective = calloc(1, sizeof(*collective)), **at;
	uint32_t size = engine->tables.model.comms.at[comm].self
		? 1
		: engine->tables.model.comms.at[comm].nall,
		 number = replay->free_collective;
	enum gate gate = collective_ops[op].gate;
	bool alone = gate == GATE_LOWER || gate == GATE_NEIGHBOURS;

	while (number < replay->collectives.n && replay->collectives.at[number])
		number++;
	at = number < replay->collectives.n ? &replay->collectives.at[number]
					    : ARRAY_ADD(&replay->collectives);
	replay->free_collective = number + 1;
	if (at && (*at = collective)) {
		*collective = (struct collective){ .key = key,
			.place = number,
			.alone = MODEL_NONE,
			.comm = comm,
			.op = op,
			.gate = gate,
			.row.op = op,
			.size = size,
			.root = root,
			.there = calloc(size, sizeof(bool)),
			.starts = alone ? calloc(size, sizeof(struct arrival)) : NULL };
		replay->collectives_of[comm] += op != OP_FILES;
		if (collective->there && (collective->starts || !alone) &&
			groups_begin(&engine->tables.model.comms.at[comm], collective) &&
			held_begin(engine, collective) && parked_begin(collective) &&
			(!key || idmap_set(&replay->instance_numbers, key, number) == 0))
			return collective;
	}
	log_error("out of memory for the collectives of %u ranks", size);
	return NULL;
}

/* If several came last, the one with the least rank counts, in whatever order they are reported. */
static bool is_later(int64_t t, uint32_t member, int64_t latest, uint32_t last_rank, bool any)
{
	return !any || t > latest || (t == latest && member < last_rank);
}

static void latest_add(struct collective *collective, uint32_t member, const struct arrival *posted)
{
	if (is_later(posted->t, member, collective->latest.t, collective->last_rank,
		    collective->arrived)) {
		collective->latest.t = posted->t;
		collective->latest.by = posted->by;
		collective->latest.path = posted->path;
		collective->last_rank = member;
	}
	for (int s = 0; s < SCENARIO_COUNT; s++)
		if (!collective->arrived || posted->clock[s] > collective->latest.clock[s])
			collective->latest.clock[s] = posted->clock[s];
}

/* The group of an inter-communicator that a member is in. */
static struct collective_group *group_of(const struct collective *collective, uint32_t member)
{
	return &collective->groups[member >= collective->groups[0].size];
}

/* The other group: its members gate the members of this one. */
static const struct collective_group *remote_of(const struct collective *collective,
	uint32_t member)
{
	return &collective->groups[member < collective->groups[0].size];
}

static bool group_is_complete(const struct collective_group *group)
{
	return group->arrived == group->size;
}

/* A member that alone gates others. */
static void start_add(struct collective *collective, uint32_t member, const struct arrival *posted)
{
	collective->there[member] = true;
	if (collective->starts)
		collective->starts[member] = *posted;
	if (member == collective->root)
		collective->at_root = *posted;
	if (collective->groups && group_of(collective, member)->arrived++)
		arrival_max(&group_of(collective, member)->latest, posted);
	else if (collective->groups)
		group_of(collective, member)->latest = *posted;
}

static bool root_is_there(const struct collective *collective)
{
	return collective->root >= collective->size || collective->there[collective->root];
}

/*
 * Whether the waiting members can continue. A member that waits for lower ranks may continue after
 * any arrival, since each has different ones.
 */
static bool is_open(const struct collective *collective)
{
	switch (collective->gate) {
	case GATE_ALL:
	case GATE_AT_ROOT:
		return collective->groups ? group_is_complete(&collective->groups[0]) ||
				group_is_complete(&collective->groups[1])
					  : collective->arrived == collective->size;
	case GATE_ROOT: return root_is_there(collective);
	default: return true;
	}
}

static void waiting_wake(struct engine *engine, struct collective *collective, uint32_t member)
{
	if (collective->parked)
		neighbours_wake(engine, collective, member);
	if (!is_open(collective))
		return;
	for (size_t i = 0; i < collective->waiting.n; i++)
		replay_wake(engine, collective->waiting.at[i]);
	collective->waiting.n = 0;
}

static void row_arrival(struct collective_row *row, uint32_t member, int64_t t)
{
	row->first = row->arrived && row->first < t ? row->first : t;
	if (is_later(t, member, row->latest, row->last_rank, row->arrived)) {
		row->latest = t;
		row->last_rank = member;
	}
	row->arrived++;
}

static void bytes_add(struct collective_row *row, uint64_t sent, uint64_t received)
{
	if (sent > row->sent)
		row->sent = sent;
	if (received > row->received)
		row->received = received;
}

/*
 * The whole buffer: what some member hands in or gets at most. Foreign roots count a broadcast n
 * times.
 */
static uint64_t bytes_of(const struct collective *collective)
{
	const struct collective_row *row = &collective->row;

	if (collective->op == OTF2_COLLECTIVE_OP_BCAST && row->received)
		return row->received;
	return row->sent > row->received ? row->sent : row->received;
}

/* Rank in the whole job of a member; of a communicator that each process has: the process. */
static int64_t job_rank(const struct engine *engine, uint32_t comm, uint32_t member)
{
	uint32_t process = engine->tables.model.comms.at[comm].self
		? member
		: engine->tables.model.comms.at[comm].members[member];

	return process == MODEL_NONE ? -1 : engine->tables.model.processes.at[process].rank;
}

/* Who is in its group does not name the root of an inter-communicator's. */
static void root_learn(struct collective *collective, uint32_t root)
{
	if (!collective->groups || root >= collective->size)
		return;
	collective->root = root;
}

/* What is reported of a member that is read here. */
static void member_add(struct collective *collective, const struct event *event, uint32_t member,
	const struct arrival *posted)
{
	latest_add(collective, member, posted);
	start_add(collective, member, posted);
	collective->arrived++;
	collective->here++;
	row_arrival(&collective->row, member, posted->t);
	bytes_add(&collective->row, event->bytes, event->received);
}

/* On a communicator that each process has for itself; its row names the process. */
static struct collective *alone_arrive(struct track *track, const struct event *event,
	uint32_t comm, const struct arrival *posted)
{
	struct engine *engine = track->engine;
	uint64_t number = sequence_next(&engine->replay.processes[track->process],
		(uint64_t)comm * STREAMS);
	struct collective *collective = number == UINT64_MAX
		? NULL
		: collective_new(engine, 0, comm, event->tag, event->peer);

	if (!collective)
		return NULL;
	collective->alone = track->process;
	collective->number = (int64_t)(number | (1ull + track->process) << 32);
	member_add(collective, event, 0, posted);
	return collective;
}

/*
 * The root as a member of the collective, as one of them names it; MODEL_NONE: it does not. Over an
 * inter-communicator it is of the other group, or names itself.
 */
static uint32_t root_place(const struct comm *comm, uint32_t member, uint32_t named)
{
	if (!comm->inter)
		return named;
	if (named == OTF2_COLLECTIVE_ROOT_SELF)
		return member;
	if (named >= comm->nall)
		return MODEL_NONE;
	return member < comm->nmembers ? comm->nmembers + named : named;
}

/*
 * On a communicator of several ranks. Its collectives in `stream` are counted, or given their
 * places.
 */
static struct collective *shared_arrive(struct track *track, const struct event *event,
	uint32_t comm, uint64_t stream, uint64_t place, const struct arrival *posted,
	uint32_t *member)
{
	struct engine *engine = track->engine;
	struct replay *replay = &engine->replay;
	struct collective *collective;
	uint64_t key, sequence;
	uint32_t number, root;

	*member = model_comm_place(&engine->tables.model, comm, track->process);
	if (*member == MODEL_NONE)
		return NULL;
	root = root_place(&engine->tables.model.comms.at[comm], *member, event->peer);
	sequence = place ? sequence_numbered(&replay->processes[track->process], stream, place)
			 : sequence_next(&replay->processes[track->process], stream);
	if (sequence == UINT64_MAX)
		return NULL;
	key = 1ull << 63 | stream << 32 | sequence;
	number = idmap_find(&replay->instance_numbers, key);
	collective = number != IDMAP_NONE ? replay->collectives.at[number]
					  : collective_new(engine, key, comm, event->tag, root);
	if (!collective || collective->there[*member])
		return NULL;
	root_learn(collective, root);
	replay->nconfused += collective->op != event->tag;
	if (*member == 0 && event->tag != OP_FILES)
		collective->number = is_persistent(place) ? (int64_t)place
			: place				  ? (int64_t)sequence
							  : replay->numbers_of[comm]++;
	member_add(collective, event, *member, posted);
	if (engine->peers.n)
		engine->peers.calls->arrived(engine, collective, *member, posted);
	waiting_wake(engine, collective, *member);
	return collective;
}

struct collective *collective_arrive(struct track *track, const struct event *event, bool blocking,
	uint64_t place, const struct arrival *posted, uint32_t *member)
{
	const struct model *model = &track->engine->tables.model;
	uint32_t comm = model_comm(model, event->ref);

	*member = 0;
	if (comm == MODEL_NONE || track->process == MODEL_NONE || !collective_op(event->tag))
		return NULL;
	if (model->comms.at[comm].self)
		return alone_arrive(track, event, comm, posted);
	return shared_arrive(track, event, comm, stream_of(track, comm, blocking, place), place,
		posted, member);
}

struct collective *collective_arrive_file(struct track *track, uint32_t comm, bool transfer,
	const struct arrival *posted, uint32_t *member)
{
	const struct event event = { .tag = OP_FILES, .peer = OTF2_COLLECTIVE_ROOT_NONE };

	return track->engine->tables.model.comms.at[comm].nmembers < 2
		? NULL
		: shared_arrive(track, &event, comm,
			  (uint64_t)comm * STREAMS + FILE_STREAM + transfer, 0, posted, member);
}

/* No member that is read here can still come to it. */
static bool is_over(const struct engine *engine, uint64_t key, uint32_t comm)
{
	const struct comm *members = &engine->tables.model.comms.at[comm];
	uint64_t stream = key << 1 >> 33;

	for (uint32_t i = 0; i < members->nall; i++) {
		uint32_t seen = members->members[i] == MODEL_NONE ||
				peers_is_remote(&engine->peers, members->members[i])
			? UINT32_MAX - 1
			: idmap_find(&engine->replay.processes[members->members[i]].sequences,
				  stream);

		if (seen == IDMAP_NONE || seen <= (uint32_t)key)
			return false;
	}
	return true;
}

struct collective *collective_reported(struct engine *engine, uint64_t key, uint32_t comm,
	uint32_t op, uint32_t root)
{
	const struct peer_comm *shared = &engine->peers.comms[comm];
	uint32_t number = idmap_find(&engine->replay.instance_numbers, key);

	if (number != IDMAP_NONE) {
		root_learn(engine->replay.collectives.at[number], root);
		return engine->replay.collectives.at[number];
	}
	if (shared->disturbed && shared->home != engine->peers.self && is_over(engine, key, comm))
		return NULL;
	return collective_new(engine, key, comm, op, root);
}

void collective_arrived(struct engine *engine, struct collective *collective, uint32_t n,
	uint32_t member, const struct arrival *latest, bool alone)
{
	latest_add(collective, member, latest);
	collective->arrived += n;
	if (alone)
		start_add(collective, member, latest);
	waiting_wake(engine, collective, member);
}

/* A member in the group of the root waits for no other, and a sender to it does not either. */
static bool inter_ready(const struct collective *collective, uint32_t member)
{
	switch (collective->gate) {
	case GATE_ALL: return group_is_complete(remote_of(collective, member));
	case GATE_ROOT:
		return root_is_there(collective) ||
			group_of(collective, member) == group_of(collective, collective->root);
	case GATE_AT_ROOT:
		return member != collective->root ||
			group_is_complete(remote_of(collective, member));
	default: return true;
	}
}

static void inter_gate(const struct collective *collective, uint32_t member, struct arrival *gate)
{
	bool has_root = collective->root < collective->size;

	if (collective->gate == GATE_ALL ||
		(collective->gate == GATE_AT_ROOT && member == collective->root))
		arrival_max(gate, &remote_of(collective, member)->latest);
	else if (collective->gate == GATE_ROOT && has_root && collective->there[collective->root] &&
		group_of(collective, member) != group_of(collective, collective->root))
		arrival_max(gate, &collective->at_root);
}

bool collective_ready(const struct engine *engine, const struct need *need)
{
	const struct collective *collective = need->collective;
	uint32_t member = need->member;

	if (collective->groups)
		return inter_ready(collective, member);
	switch (collective->gate) {
	case GATE_ALL: return is_open(collective);
	case GATE_ROOT: return member == collective->root || is_open(collective);
	case GATE_AT_ROOT: return member != collective->root || is_open(collective);
	case GATE_LOWER:
		for (uint32_t i = 0; i < member; i++)
			if (!collective->there[i])
				return false;
		return true;
	case GATE_NEIGHBOURS: return need->ungated || neighbours_ready(engine, need);
	default: return true;
	}
}

struct arrival collective_gate(const struct engine *engine, const struct need *need)
{
	const struct collective *collective = need->collective;
	uint32_t member = need->member;
	struct arrival gate = need->posted;

	if (collective->groups) {
		inter_gate(collective, member, &gate);
		return gate;
	}
	switch (collective->gate) {
	case GATE_ALL: return collective->latest;
	case GATE_ROOT:
		if (collective->root < collective->size && collective->there[collective->root])
			arrival_max(&gate, &collective->at_root);
		return gate;
	case GATE_AT_ROOT: return member == collective->root ? collective->latest : gate;
	case GATE_LOWER:
		for (uint32_t i = 0; i < member; i++)
			arrival_max(&gate, &collective->starts[i]);
		return gate;
	case GATE_NEIGHBOURS:
		if (!need->ungated)
			neighbours_gate(engine, need, &gate);
		return gate;
	default: return gate;
	}
}

static void sum_add(struct engine *engine, const struct collective *collective, uint32_t member,
	int64_t wait, int64_t transfer)
{
	struct replay *replay = &engine->replay;
	uint64_t key = 1ull << 63 | (uint64_t)collective->comm << 40 | (uint64_t)member << 8 |
		collective->op;
	uint32_t number = idmap_find(&replay->sum_numbers, key);
	struct collective_sum *sum;

	if (number == IDMAP_NONE) {
		number = replay->sums.n;
		sum = ARRAY_ADD(&replay->sums);
		if (!sum || idmap_set(&replay->sum_numbers, key, number) < 0) {
			engine->tables.failed = true;
			return;
		}
		*sum = (struct collective_sum){ .comm = collective->comm,
			.op = collective->op,
			.rank = member };
	}
	sum = &replay->sums.at[number];
	sum->n++;
	sum->wait += wait;
	sum->transfer += transfer;
}

/* algbw = S/transfer, busbw = algbw × factor of the operation (0 for one member). */
static void row_write(struct engine *engine, const struct collective *collective)
{
	const struct collective_op *op = &collective_ops[collective->op];
	const struct collective_row *row = &collective->row;
	double transfer = row->end - row->latest, n = collective->size;
	double bytes = bytes_of(collective);
	double algorithm = transfer > 0 && bytes ? bytes / transfer * 1e9 : NAN;
	bool has_bus = !engine->tables.model.comms.at[collective->comm].inter &&
		collective->gate != GATE_NEIGHBOURS;
	double raw = row->end > row->first && bytes ? bytes * 1e9 / (row->end - row->first) : NAN;

	collective_line_add(engine,
		&(struct collective_line){
			.comm = (int64_t)engine->tables.archive.comms.at[collective->comm].ref,
			.number = collective->number,
			.op = collective->op,
			.gloo = engine->tables.model.comms.at[collective->comm].gloo,
			.bytes = (int64_t)bytes_of(collective),
			.first = row->first,
			.latest = row->latest,
			.end = row->end,
			.rank = job_rank(engine, collective->comm,
				collective->alone == MODEL_NONE ? row->last_rank
								: collective->alone),
			.algorithm = algorithm,
			.bus = has_bus ? algorithm * op->bus_doubled *
					(op->bus_scaled || n == 1 ? (n - 1) / n : 1)
				       : NAN,
			.raw = raw });
}

static bool is_home(const struct engine *engine, const struct collective *collective)
{
	return !engine->peers.n || collective->alone != MODEL_NONE ||
		engine->peers.comms[collective->comm].home == engine->peers.self;
}

/* Where all have left, or all that are read here, it is over. */
static void over_look(struct engine *engine, struct collective *collective)
{
	if (is_home(engine, collective)) {
		if (collective->row.left < collective->size)
			return;
		if (collective->op != OP_FILES)
			row_write(engine, collective);
		held_end(engine, collective);
	} else {
		if (collective->left < engine->peers.comms[collective->comm].nlocal)
			return;
		engine->peers.calls->left(engine, collective);
	}
	collective_free(engine, collective->place);
}

void collective_leave(struct track *track, const struct need *need, int64_t waited, int64_t since,
	int64_t t)
{
	struct engine *engine = track->engine;
	struct collective *collective = need->collective;

	if (collective->op != OP_FILES)
		sum_add(engine, collective,
			collective->alone == MODEL_NONE ? need->member : collective->alone, waited,
			t - need->posted.t - waited);
	held_leave(track, collective, need->member, need->posted.t, since, t);
	if (engine->peers.n && !collective_ready(engine, need))
		engine->peers.comms[collective->comm].disturbed = true;
	if (!collective->row.left++ || t > collective->row.end)
		collective->row.end = t;
	collective->left++;
	over_look(engine, collective);
}

void collective_row_add(struct engine *engine, struct collective *collective,
	const struct collective_row *row)
{
	struct collective_row *to = &collective->row;

	if (row->arrived && (!to->arrived || row->first < to->first))
		to->first = row->first;
	if (row->arrived &&
		is_later(row->latest, row->last_rank, to->latest, to->last_rank, to->arrived)) {
		to->latest = row->latest;
		to->last_rank = row->last_rank;
	}
	if (row->left && (!to->left || row->end > to->end))
		to->end = row->end;
	if (row->op != to->op)
		engine->replay.nconfused += row->arrived;
	bytes_add(to, row->sent, row->received);
	to->arrived += row->arrived;
	to->left += row->left;
	over_look(engine, collective);
}

void collectives_count(struct engine *engine)
{
	struct replay *replay = &engine->replay;

	for (size_t i = 0; i < replay->collectives.n; i++)
		if (replay->collectives.at[i]) {
			replay->nincomplete += is_home(engine, replay->collectives.at[i]) &&
				replay->collectives.at[i]->op != OP_FILES;
			collective_free(engine, i);
		}
}

void collectives_finish(struct engine *engine)
{
	struct replay *replay = &engine->replay;

	collective_lines_flush(engine);
	for (size_t i = 0; i < engine->tables.model.comms.n; i++) {
		const struct comm *comm = &engine->tables.model.comms.at[i];

		if (replay->collectives_of[i])
			communicator_put(&engine->tables.db, comm->gloo ? "gloo" : "mpi",
				(int64_t)engine->tables.archive.comms.at[i].ref, comm->name,
				comm->self ? 1 : (int64_t)comm->nall);
	}
	for (size_t i = 0; i < replay->sums.n; i++) {
		const struct collective_sum *sum = &replay->sums.at[i];

		collective_rank_put(&engine->tables.db,
			engine->tables.model.comms.at[sum->comm].gloo ? "gloo" : "mpi",
			(int64_t)engine->tables.archive.comms.at[sum->comm].ref,
			job_rank(engine, sum->comm, sum->rank), collective_ops[sum->op].name,
			&(struct collective_times){ sum->n, sum->wait, sum->transfer });
	}
}
