/*
 * totals.c - adds records that a bounded spool gives up to sums, see totals.h. Runs on chunks that
 * their threads have left: the hot path knows nothing of it.
 */
#include "config.h"

#include <string.h>

#include "tacho/brief.h"
#include "tacho/fold.h"

#include "core/handle.h"
#include "core/totals.h"
#include "core/totals_tables.h"

#pragma weak handle_has_peer /* programs that link this file alone have no handles */

/* What a call does with its bytes, by its name as merge sees it (analyzer/merge/walk/walk_regions.c). */
enum use { USE_NONE, USE_UNKNOWN, USE_SEND, USE_RECV, USE_PUT, USE_GET };

/* One after the other, in the order of enum region: no table of pointers, which would be relocated. */
static const char mpi_names[] =
#define CALL(name, ...) #name "\0"
#include "tacho/mpi_calls.def"
#undef CALL
	"";
static const char torch_names[] =
#define CALL(id, role, shape, name, operation, ...) #operation "\0"
#include "tacho/torch_calls.def"
#undef CALL
	"";

static unsigned char uses[REGION_COUNT];
static _Atomic bool uses_are_known; /* merge sums in several threads */

static bool name_has(const char *name, const char *word)
{
	size_t n = strlen(word);

	for (; *name; name++) {
		size_t i = 0;

		while (i < n && (name[i] | 0x20) == word[i])
			i++;
		if (i == n)
			return true;
	}
	return false;
}

static enum use use_of(const char *name)
{
	if (name_has(name, "send"))
		return USE_SEND;
	if (name_has(name, "recv"))
		return USE_RECV;
	return name_has(name, "put") || name_has(name, "accumulate") ||
			name_has(name, "fetch_and_op") || name_has(name, "compare_and_swap")
		? USE_PUT
		: USE_GET;
}

static void uses_of(const char *names, unsigned region)
{
	for (; *names; names += strlen(names) + 1)
		uses[region++] = (unsigned char)use_of(names);
}

static enum use region_use(unsigned region)
{
	if (!uses_are_known) {
		uses_of(torch_names, REGION_TORCH_FIRST_);
		uses_of(mpi_names, REGION_MPI_FIRST_);
		uses_are_known = true;
	}
	return uses[region];
}

static bool is_message(unsigned region)
{
	enum use use = region_use(region);

	return use == USE_SEND || use == USE_RECV;
}

/* One record on its way. */
struct adding {
	struct totals_sums *sums;
	const struct totals_list *list;
	const uint64_t *rec;
	unsigned type, depth, region;
	struct totals_call *call; /* of the record; NULL: no room */
	/* bytes of messages and collectives that it has moved */
	uint64_t sent, received;
};

static uint32_t phase_now(const struct totals_sums *sums)
{
	for (uint32_t i = sums->nmarks; i > 0; i--)
		if (sums->marks[i - 1].kind == SPOOL_MARK_PHASE)
			return sums->marks[i - 1].name;
	return 0;
}

static struct totals_call *call_place(struct totals_sums *sums, unsigned region, unsigned how,
	uint32_t name)
{
	return totals_call_place(sums,
		&(struct totals_call){ .region = (uint16_t)region,
			.how = (uint16_t)how,
			.phase = phase_now(sums),
			.name = name });
}

static uint32_t mark_level(const struct totals_sums *sums, uint32_t kind)
{
	uint32_t level = sums->nmarks;

	while (level && sums->marks[level - 1].kind != kind)
		level--;
	return level;
}

static bool is_sleep(unsigned region)
{
	return region == REGION_nanosleep || region == REGION_clock_nanosleep ||
		region == REGION_usleep || region == REGION_sleep || region == REGION_thrd_sleep;
}

/* The analyzer's states of calls; TOTALS_PARTS: a thread that wakes others works. */
static enum totals_part part_of(unsigned region, unsigned how)
{
	static const unsigned char parts[] = {
		[REGION_CLASS_NONE] = TOTALS_PARTS,
		[REGION_CLASS_MPI] = TOTALS_PART_MPI,
		[REGION_CLASS_IO] = TOTALS_PART_IO,
		[REGION_CLASS_WAIT] = TOTALS_PART_WAIT,
		[REGION_CLASS_CUDA] = TOTALS_PART_CUDA,
		[REGION_CLASS_NCCL] = TOTALS_PART_CUDA,
		[REGION_CLASS_TORCH] = TOTALS_PART_GLOO,
	};

	if (how == TOTALS_WAKE)
		return TOTALS_PARTS;
	if (is_sleep(region))
		return TOTALS_PART_SLEEP;
	if (region >= REGION_MPI_File_open && region <= REGION_MPI_File_set_info)
		return TOTALS_PART_IO;
	return how == TOTALS_PEER ? TOTALS_PART_WAIT
				  : (enum totals_part)parts[region_class(region)];
}

static void step_add(struct totals_sums *sums, unsigned region, unsigned how, uint64_t ticks)
{
	enum totals_part part = part_of(region, how);

	if (part < TOTALS_PARTS && mark_level(sums, SPOOL_MARK_STEP))
		sums->parts[part] += ticks;
}

static struct totals_call *calls_add(struct totals_sums *sums, unsigned region, unsigned how,
	bool outer, const struct totals_call *add)
{
	struct totals_call *call = call_place(sums, region, how, add->name);

	if (outer)
		step_add(sums, region, how, add->ticks);
	if (!call) {
		sums->calls_left += add->calls;
		sums->ticks_left += outer ? add->ticks : 0;
		return NULL;
	}
	call->calls += add->calls;
	call->ticks += add->ticks;
	call->moved += add->moved;
	call->outer += outer ? add->ticks : 0;
	if (add->shortest < call->shortest)
		call->shortest = add->shortest;
	if (add->longest > call->longest)
		call->longest = add->longest;
	return call;
}

static void message_add(struct adding *a, uint32_t comm, bool is_send, int32_t peer, int32_t tag,
	uint64_t bytes)
{
	struct totals_channel *channel;

	if (peer < 0 || !comm)
		return;
	if (is_send)
		a->sent += bytes;
	else
		a->received += bytes;
	channel = totals_channel_place(a->sums, comm, peer, tag);
	if (channel && is_send)
		channel->sends++;
	else if (channel)
		channel->recvs++;
}

static void collective_add(struct totals_sums *sums, uint32_t comm, bool blocks)
{
	struct totals_comm *at = totals_comm_place(sums, comm);

	if (!at)
		return;
	at->begun++;
	at->nonblocking += !blocks;
}

enum { WAYS = 8 }; /* places for requests with similar numbers */

static struct totals_request *request_ways(struct totals_sums *sums, uint32_t number)
{
	return &sums->requests[number * 2654435761u / WAYS % (TOTALS_REQUESTS / WAYS) * WAYS];
}

static void request_post(struct adding *a, const struct totals_request *request)
{
	struct totals_request *at = request_ways(a->sums, request->number);

	if (region_use(request->region) == USE_SEND && request->type != SPOOL_COLL_FULL &&
		request->type != SPOOL_RMA && request->type != SPOOL_IO_LONG)
		message_add(a, request->handle, true, request->peer, request->tag, request->sent);
	for (unsigned i = 0; i < WAYS; i++)
		if (!at[i].number) {
			at[i] = *request;
			at[i].reserved = 0;
			return;
		}
	a->sums->requests_left++;
}

/* Of the posts with that number, the last one that began before `before`; false: there is none. */
static bool request_take(struct totals_sums *sums, uint32_t number, uint64_t before,
	struct totals_request *out)
{
	struct totals_request *at = request_ways(sums, number), *found = NULL;

	for (unsigned i = 0; i < WAYS; i++)
		if (at[i].number == number && at[i].start <= before &&
			(!found || at[i].start > found->start))
			found = &at[i];
	if (!found)
		return false;
	*out = *found;
	found->number = 0;
	return true;
}

static void request_complete(struct adding *a, uint64_t word, const uint64_t *where)
{
	struct totals_request done;
	uint32_t bytes = word >> 32;
	struct totals_call *call;

	if (!request_take(a->sums, (uint32_t)word, a->rec[1], &done))
		return;
	switch (done.type) {
	case SPOOL_COLL_FULL:
		a->sent += done.sent;
		a->received += done.received;
		return;
	case SPOOL_IO_LONG:
		call = call_place(a->sums, done.region, 0, 0);
		if (call && bytes != SPOOL_BYTES_UNKNOWN)
			call->moved += bytes < SPOOL_BYTES_HUGE ? bytes : done.sent;
		return;
	case SPOOL_RMA: return;
	}
	if (region_use(done.region) != USE_RECV || bytes == SPOOL_BYTES_UNKNOWN)
		return;
	if (where && done.peer != SPOOL_RANK_NULL) {
		done.peer = (int32_t)*where;
		if ((int32_t)(*where >> 32) != SPOOL_TAG_ANY)
			done.tag = (int32_t)(*where >> 32);
	}
	message_add(a, done.handle, false, done.peer, done.tag,
		bytes < SPOOL_BYTES_HUGE ? bytes : done.received);
}

static void requests_complete(struct adding *a)
{
	unsigned each = a->type == SPOOL_DONE_SHORT ? 1 : 2, words = spool_words(a->rec[2]);

	for (uint32_t i = 0; i < spool_a(a->rec[0]) && 3 + each * (i + 1) <= words; i++)
		request_complete(a, a->rec[3 + each * i], each == 2 ? &a->rec[4 + 2 * i] : NULL);
}

/* The message's facts in the record of its call, started or not. */
static struct totals_request posted(const struct adding *a, bool is_long)
{
	uint64_t bytes = is_long ? a->rec[4] : (uint32_t)a->rec[4];

	return (struct totals_request){
		.number = is_long ? (uint32_t)a->rec[5] : a->rec[4] >> 32,
		.region = (uint16_t)a->region,
		.type = (uint16_t)a->type,
		.start = a->rec[1],
		.handle = spool_a(a->rec[0]),
		.peer = (int32_t)a->rec[3],
		.tag = (int32_t)(a->rec[3] >> 32),
		.sent = bytes,
		.received = bytes,
	};
}

static void p2p_add(struct adding *a, bool is_long)
{
	struct totals_request r = posted(a, is_long);

	if (!is_message(a->region))
		return; /* probes */
	if (r.number)
		request_post(a, &r);
	else
		message_add(a, r.handle, region_use(a->region) == USE_SEND, r.peer, r.tag, r.sent);
}

static void sendrecv_add(struct adding *a)
{
	const uint64_t *rec = a->rec;
	uint32_t comm = spool_a(rec[0]);
	struct totals_request r = { .region = (uint16_t)a->region,
		.type = SPOOL_P2P_LONG,
		.start = rec[1],
		.handle = comm,
		.peer = (int32_t)rec[5],
		.tag = (int32_t)(rec[5] >> 32),
		.sent = rec[6],
		.received = rec[6] };

	message_add(a, comm, true, (int32_t)rec[3], (int32_t)(rec[3] >> 32), rec[4]);
	r.number = spool_words(rec[2]) > 7 ? (uint32_t)rec[7] : 0;
	if (!r.number)
		message_add(a, comm, false, r.peer, r.tag, r.received);
	else
		a->sums->requests_left++; /* MPI_Isendrecv: both on one number, which is not kept */
}

static void coll_add(struct adding *a, uint32_t number)
{
	struct totals_request r = { .number = number,
		.region = (uint16_t)a->region,
		.type = SPOOL_COLL_FULL,
		.start = a->rec[1],
		.handle = spool_a(a->rec[0]),
		.peer = a->type == SPOOL_COLL ? SPOOL_ROOT_NONE : (int32_t)a->rec[5],
		.sent = a->rec[3],
		.received = a->rec[a->type == SPOOL_COLL ? 3 : 4] };

	if (a->type == SPOOL_STARTED)
		r.place = a->rec[6];
	else
		collective_add(a->sums, r.handle, !number);
	if (number) {
		request_post(a, &r);
		return;
	}
	a->sent += r.sent;
	a->received += r.received;
}

static void rma_add(struct adding *a)
{
	enum use use = region_use(a->region);
	uint32_t number = a->rec[3] >> 32;

	if (a->region == REGION_MPI_Win_fence) {
		collective_add(a->sums, spool_a(a->rec[0]) | 0x80000000u, true);
		return;
	}
	if ((int32_t)a->rec[3] < 0)
		return;
	if (use == USE_GET)
		a->received += a->rec[4];
	else
		a->sent += a->rec[4];
	if (spool_words(a->rec[2]) > 5)
		a->received += a->rec[5];
	if (number)
		request_post(a,
			&(struct totals_request){ .number = number,
				.region = (uint16_t)a->region,
				.type = SPOOL_RMA,
				.start = a->rec[1],
				.handle = spool_a(a->rec[0]),
				.peer = (int32_t)a->rec[3],
				.sent = a->rec[4] });
}

/* Bytes of files: of the outermost call alone, since inner ones are how it does it. */
static void io_add(struct adding *a)
{
	int64_t result = a->type == SPOOL_IO ? (int64_t)(a->rec[3] & 0xffffff) : (int64_t)a->rec[3];
	unsigned words = spool_words(a->rec[2]);

	if (a->type == SPOOL_IO_LONG && words > 5 && (uint32_t)a->rec[5]) {
		request_post(a,
			&(struct totals_request){ .number = (uint32_t)a->rec[5],
				.region = (uint16_t)a->region,
				.type = SPOOL_IO_LONG,
				.start = a->rec[1],
				.handle = spool_a(a->rec[0]),
				.sent = a->rec[3] });
		return;
	}
	if (a->depth || result <= 0 || !a->call)
		return;
	a->call->moved += (uint64_t)result;
	if (a->type == SPOOL_IO_PLAIN && words > 4)
		a->call->sent += (uint64_t)result;
}

static void payload_add(struct adding *a)
{
	switch (a->type) {
	case SPOOL_IO:
	case SPOOL_IO_LONG:
	case SPOOL_IO_PLAIN: io_add(a); break;
	case SPOOL_P2P: p2p_add(a, false); break;
	case SPOOL_P2P_LONG: p2p_add(a, true); break;
	case SPOOL_SENDRECV: sendrecv_add(a); break;
	case SPOOL_COLL: coll_add(a, 0); break;
	case SPOOL_COLL_FULL: coll_add(a, a->rec[5] >> 32); break;
	case SPOOL_STARTED:
		if (spool_words(a->rec[2]) > 6 && a->rec[6])
			coll_add(a, a->rec[5] >> 32);
		else
			p2p_add(a, true);
		break;
	case SPOOL_DONE:
	case SPOOL_DONE_SHORT:
	case SPOOL_DONE_MORE: requests_complete(a); break;
	case SPOOL_RMA: rma_add(a); break;
	}
}

/* Steps have no more of the list than this part of it leaves, so that phases find room. */
enum { LIST_OF_PHASES = 16 };

uint64_t totals_room(uint64_t spans)
{
	return spans + spans / (LIST_OF_PHASES - 1) + 1;
}

static bool list_has_room(const struct adding *a, uint32_t kind)
{
	uint64_t room = a->list->room;

	return a->sums->spans < (kind == SPOOL_MARK_STEP ? room - room / LIST_OF_PHASES : room);
}

/* A marker ends: phases, and steps while there is room, are listed, others counted. */
static void mark_close(struct adding *a, uint64_t end, uint64_t samples)
{
	struct totals_sums *sums = a->sums;
	struct totals_mark mark = sums->marks[--sums->nmarks];
	uint64_t ticks = end > mark.begin ? end - mark.begin : 0;
	struct totals_call *call;
	struct totals_span span = { .mark = mark, .end = end, .samples = samples };

	span.mark.value &= ~SPOOL_STEP_FOUND;
	if (mark.kind == SPOOL_MARK_STEP) {
		memcpy(span.parts, sums->parts, sizeof(span.parts));
		memset(sums->parts, 0, sizeof(sums->parts));
	}
	if (mark.kind != SPOOL_MARK_REGION && list_has_room(a, mark.kind)) {
		a->list->at[sums->spans++] = span;
		return;
	}
	if (mark.kind == SPOOL_MARK_PHASE) {
		sums->spans_left++;
		return;
	}
	call = calls_add(sums, mark.kind == SPOOL_MARK_STEP ? TOTALS_STEP : TOTALS_MARK, 0, false,
		&(struct totals_call){ .name = mark.name,
			.calls = 1,
			.ticks = ticks,
			.shortest = ticks,
			.longest = ticks });
	if (call && mark.kind == SPOOL_MARK_STEP)
		call->sent += samples;
}

/* As merge_event.c: steps are not within each other, and of two tools that mark one it is the outer. */
static void mark_begin_add(struct adding *a)
{
	struct totals_sums *sums = a->sums;
	uint64_t value = a->rec[3];
	uint32_t level = a->region == SPOOL_MARK_STEP ? mark_level(sums, SPOOL_MARK_STEP) : 0;

	if (level && !((sums->marks[level - 1].value ^ value) & ~SPOOL_STEP_FOUND)) {
		sums->nsame++;
		return;
	}
	while (level && sums->nmarks >= level)
		mark_close(a, a->rec[1], 0);
	if (a->region == SPOOL_MARK_STEP)
		sums->nsame = 0;
	if (sums->nmarks < TOTALS_MARKS)
		sums->marks[sums->nmarks++] = (struct totals_mark){ .kind = a->region,
			.name = spool_a(a->rec[0]),
			.value = value,
			.begin = a->rec[1] };
}

static void mark_end_add(struct adding *a)
{
	uint32_t level = mark_level(a->sums, a->region);

	if (!level)
		return;
	if (a->region == SPOOL_MARK_STEP && a->sums->nsame) {
		a->sums->nsame--;
		return;
	}
	while (a->sums->nmarks > level)
		mark_close(a, a->rec[1], 0);
	mark_close(a, a->rec[1], a->rec[3]);
}

/*
 * The meaning of a call's time, by its end (enum spool_sync, 0) or by its handle. Handles are known
 * only for this process, which adds its records with a list.
 */
static unsigned how_of(const struct adding *a, unsigned region, unsigned sync, uint32_t handle)
{
	if (sync == SPOOL_SYNC_MISS)
		return TOTALS_MISS;
	if (sync == SPOOL_SYNC_WAKE)
		return TOTALS_WAKE;
	return !sync && a->list->at && region_class(region) == REGION_CLASS_IO && handle_has_peer &&
			handle_has_peer(handle)
		? TOTALS_PEER
		: 0;
}

static void fold_add(struct adding *a)
{
	unsigned words = spool_words(a->rec[2]);

	for (unsigned k = 3; k + SPOOL_FOLD_WORDS <= words; k += SPOOL_FOLD_WORDS) {
		const uint64_t *kind = &a->rec[k];
		unsigned region = fold_is_of(kind), how = fold_how(kind);

		if (fold_calls(kind) && region && region < REGION_COUNT)
			calls_add(a->sums, region,
				how_of(a, region, how == FOLD_MOVED ? 0 : how, (uint32_t)kind[1]),
				true,
				&(struct totals_call){ .calls = fold_calls(kind),
					.ticks = fold_ticks(kind),
					.shortest = fold_shortest(kind),
					.longest = fold_longest(kind),
					.moved = fold_bytes(kind) });
	}
}

/* Bytes that messages inside of a call have moved are the outermost call's. */
static void bytes_add(struct adding *a)
{
	struct totals_sums *sums = a->sums;

	sums->pending_sent += a->sent;
	sums->pending_received += a->received;
	if (a->depth || !a->call || a->type == SPOOL_DONE_MORE || a->type == SPOOL_STARTED)
		return;
	a->call->sent += sums->pending_sent;
	a->call->received += sums->pending_received;
	sums->pending_sent = sums->pending_received = 0;
}

static void call_add(struct adding *a)
{
	uint64_t ticks = spool_duration(a->rec[2]);
	uint32_t about = spool_a(a->rec[0]); /* a handle, or how the call ended */
	unsigned how = how_of(a, a->region, a->type == SPOOL_SYNC ? about : 0, about);

	if (!a->region || a->region >= REGION_COUNT)
		return;
	if (a->type != SPOOL_DONE_MORE && a->type != SPOOL_STARTED)
		a->call = calls_add(a->sums, a->region, how, !a->depth,
			&(struct totals_call){ .calls = 1,
				.ticks = ticks,
				.shortest = ticks,
				.longest = ticks });
	payload_add(a);
	bytes_add(a);
}

/* Each call of the record as a separate one. */
static void brief_add(struct adding *a)
{
	struct brief calls = brief_of(a->rec);
	uint64_t call[4];

	while (brief_next(&calls, call)) {
		struct adding one = { .sums = a->sums,
			.list = a->list,
			.rec = call,
			.type = spool_type(call[0]),
			.region = spool_region(call[0]) };

		call_add(&one);
	}
}

/* What a device did. */
static void activity_add(struct adding *a)
{
	static const uint16_t regions[SPOOL_TYPE_COUNT] = {
		[SPOOL_KERNEL] = TOTALS_KERNEL,
		[SPOOL_COPY] = TOTALS_COPY,
		[SPOOL_OVERHEAD] = TOTALS_OVERHEAD,
	};
	struct totals_call kind = { .region = regions[a->type], .name = spool_a(a->rec[0]) }, *call;
	uint64_t ticks = spool_duration(a->rec[2]);
	bool is_placed = a->type != SPOOL_OVERHEAD;

	if (!kind.region)
		return;
	if (is_placed) {
		kind.phase = a->rec[3] >> 32;
		kind.device = (uint32_t)a->rec[4];
	}
	call = totals_call_place(a->sums, &kind);
	if (!call) {
		a->sums->calls_left++;
		a->sums->ticks_left += ticks;
		return;
	}
	call->calls++;
	call->ticks += ticks;
	call->outer += ticks;
	call->sent += a->type == SPOOL_COPY ? a->rec[5] : 0;
	if (is_placed && (uint32_t)a->rec[3] > call->received)
		call->received = (uint32_t)a->rec[3];
	if (ticks < call->shortest)
		call->shortest = ticks;
	if (ticks > call->longest)
		call->longest = ticks;
}

static void record_add(struct totals_sums *sums, const struct totals_list *list,
	const uint64_t *rec)
{
	struct adding a = { .sums = sums,
		.list = list,
		.rec = rec,
		.type = spool_type(rec[0]),
		.depth = spool_depth(rec[0]),
		.region = spool_region(rec[0]) };
	uint64_t end = rec[1] + spool_duration(rec[2]);

	if (a.type == SPOOL_CLOCK)
		return;
	if (!sums->records++ || rec[1] < sums->first)
		sums->first = rec[1];
	if (end > sums->last)
		sums->last = end;
	switch (a.type) {
	case SPOOL_THREAD_END:
	case SPOOL_GAP:
	case SPOOL_SAMPLE:
	case SPOOL_NCCL_PLAN:
	case SPOOL_GRAPH: return;
	case SPOOL_BEGIN:
		if (!a.depth)
			mark_begin_add(&a);
		return;
	case SPOOL_END:
		if (!a.depth)
			mark_end_add(&a);
		return;
	case SPOOL_FOLD: fold_add(&a); return;
	case SPOOL_BRIEF: brief_add(&a); return;
	case SPOOL_LAUNCH: /* of another thread, whose sums are its own */
		sums->calls_left++;
		sums->ticks_left += spool_duration(rec[2]);
		return;
	case SPOOL_KERNEL:
	case SPOOL_COPY:
	case SPOOL_GPU_SYNC:
	case SPOOL_OVERHEAD: activity_add(&a); return;
	default: call_add(&a);
	}
}

/* The record after `at`; NULL where none can be. */
static const uint64_t *record_next(const uint64_t *at, const uint64_t *end)
{
	unsigned type = spool_type(*at);
	size_t room = (size_t)(end - at), words;

	if (type == SPOOL_PAD)
		words = spool_a(*at) / 8;
	else
		words = room < 3 || type >= SPOOL_TYPE_COUNT ? 0 : spool_words(at[2]);
	return !words || words > room || (type != SPOOL_PAD && words < 3) ? NULL : at + words;
}

uint64_t totals_spans(const uint64_t *chunk, size_t size)
{
	const uint64_t *end = chunk + size / 8, *next;
	uint64_t n = 0;

	for (const uint64_t *at = chunk; at < end && *at; at = next) {
		unsigned type = spool_type(*at), kind = spool_region(*at);

		next = record_next(at, end);
		if (!next)
			break;
		n += (type == SPOOL_BEGIN && kind == SPOOL_MARK_STEP) ||
			(type == SPOOL_END && kind != SPOOL_MARK_REGION);
	}
	return n;
}

const uint64_t *totals_find(const uint64_t *chunk, size_t size, uint64_t ticks)
{
	const uint64_t *end = chunk + size / 8, *group = chunk, *next;

	for (const uint64_t *at = chunk; at < end && *at; at = next) {
		unsigned type = spool_type(*at);

		next = record_next(at, end);
		if (!next)
			break;
		if (type == SPOOL_PAD || spool_depth(*at) || type == SPOOL_DONE_MORE ||
			type == SPOOL_STARTED)
			continue;
		if (at[1] + spool_duration(at[2]) >= ticks)
			break;
		group = next;
	}
	return group;
}

void totals_add(struct totals_sums *sums, const struct totals_list *list, const uint64_t *chunk,
	size_t size)
{
	const uint64_t *end = chunk + size / 8, *next;

	for (const uint64_t *at = chunk; at < end && *at; at = next) {
		next = record_next(at, end);
		if (!next)
			return;
		if (spool_type(*at) != SPOOL_PAD)
			record_add(sums, list, at);
	}
}
