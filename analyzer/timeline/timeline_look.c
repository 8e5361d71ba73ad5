/*
 * timeline_look.c - one location in a stretch of the trace: the intervals of its states become
 * rows, and what gates others, or waits for them, becomes pieces; see timeline_step.h.
 */
#include "config.h"

#include <stdlib.h>

#include "tables/tables.h"
#include "base/containers.h"
#include "model/region.h"
#include "timeline/timeline_step.h"
#include "model/states.h"
#include "model/collective_op.h"
#include "tables/timeline_step.def"

enum {
	PIECES_MOST = 1 << 16, /* of one location */
	ROWS_MOST = 1 << 14,   /* gathered before they are written */
	READ = 1 << 14,	       /* events that are read at once */
	DEVICE_STATE_BASE = HOST_STATE_COUNT,
	STATES = HOST_STATE_COUNT + ACTIVITY_CLASS_COUNT + 1,
	NOTHING = STATES - 1,
};

struct look_frame {
	uint32_t region;
	enum region_kind kind;
};

/* What a call of I/O has accessed last. */
struct access {
	uint32_t file;
	int64_t bytes, offset;
};

/* Intervals that are too short to be seen, until they are long enough together. */
struct joined {
	int64_t start, end, ns[STATES];
	uint32_t n, region;
	struct access access; /* of the only one */
};

struct look_schedule {
	struct tables *tables;
	struct looks *looks;
	struct look *look;
	ARRAY_OF(struct look_frame) stack;
	size_t outer;		       /* depth of the outermost runtime region; 0: none */
	int64_t entered;	       /* its start */
	size_t first_piece;	       /* of it */
	uint32_t state, region, depth; /* depth: of a stream */
	int64_t since;
	uint64_t skipped;			/* events that are still to be passed over */
	bool is_stream, any, omp, off, outside; /* outside: not entered where reading began */
	struct joined joined;
	struct access access; /* within the present outermost call */
};

static const struct access no_access = { MODEL_NONE, DB_NULL, DB_NULL };

static const char *state_name(uint32_t state)
{
	static const char *const names[ACTIVITY_CLASS_COUNT] = { [ACTIVITY_COMPUTE] = "compute",
		[ACTIVITY_NCCL] = "nccl",
		[ACTIVITY_MEMCPY] = "memcpy" };

	return state < DEVICE_STATE_BASE ? host_state_names[state]
					 : names[state - DEVICE_STATE_BASE];
}

static const struct db_table table = DB_TABLE(timeline_step, "insert", TIMELINE_STEP_COLUMNS);

/* Through the rows that are gathered. */
struct look_scan {
	const struct tables *tables;
	const struct looks *looks;
	size_t next;
};

static bool scan_next(void *user, union db_value *values)
{
	struct look_scan *scan = user;
	const struct model *model = &scan->tables->model;
	const struct look_row *row;

	if (scan->next == scan->looks->rows.n)
		return false;
	row = &scan->looks->rows.at[scan->next++];
	DB_SET(values, TIMELINE_STEP_COLUMNS);
	return true;
}

void timeline_rows_flush(struct tables *tables, struct looks *looks)
{
	struct look_scan scan = { tables, looks, 0 };

	if (looks->rows.n)
		db_put_rows(&tables->db, &table, scan_next, &scan);
	looks->rows.n = 0;
}

static void row_write(const struct look_schedule *r, int64_t start, int64_t end, uint32_t state,
	uint32_t region, uint32_t n, const struct access *access)
{
	struct look_row *row = ARRAY_ADD(&r->looks->rows);

	r->looks->nrows++;
	if (row)
		*row = (struct look_row){ start, end, r->look->location, state, region, n,
			access->file, access->bytes, access->offset };
	else
		r->tables->failed = true;
	if (r->looks->rows.n >= ROWS_MOST)
		timeline_rows_flush(r->tables, r->looks);
}

static void joined_write(struct look_schedule *r)
{
	struct joined *joined = &r->joined;
	uint32_t most = 0;

	for (uint32_t state = 1; state < STATES; state++)
		if (joined->ns[state] > joined->ns[most])
			most = state;
	if (joined->n)
		row_write(r, joined->start, joined->end, most,
			joined->n == 1 ? joined->region : MODEL_NONE, joined->n,
			joined->n == 1 ? &joined->access : &no_access);
	*joined = (struct joined){ 0 };
}

/* The present state lasted until t. */
static void interval_end(struct look_schedule *r, int64_t t)
{
	const struct looks *looks = r->looks;
	int64_t start = r->since > looks->from ? r->since : looks->from,
		end = t < looks->to ? t : looks->to;
	int64_t grain = (looks->to - looks->from) / looks->parts;

	if (end <= start || r->state == NOTHING || r->state == HOST_ABSENT)
		return;
	if (r->joined.n &&
		(end - start > grain || start - r->joined.end > grain ||
			end - r->joined.start > 2 * grain))
		joined_write(r);
	if (end - start > grain) {
		row_write(r, start, end, r->state, r->region, 1, &r->access);
		return;
	}
	if (!r->joined.n++)
		r->joined.start = start;
	r->joined.end = end;
	r->joined.ns[r->state] += end - start;
	r->joined.region = r->region;
	r->joined.access = r->access;
}

static void state_change(struct look_schedule *r, uint32_t state, uint32_t region, int64_t t)
{
	if (state == r->state && region == r->region)
		return;
	interval_end(r, t);
	r->state = state;
	r->region = region;
	r->since = t;
}

/* Outside of all runtime regions: in the innermost region of the program. */
static void rest(struct look_schedule *r, int64_t t)
{
	const struct location *at = &r->tables->model.locations.at[r->look->location];

	state_change(r,
		r->off						? HOST_ABSENT
			: r->omp && !r->stack.n && !at->is_main ? HOST_OMP_IDLE
								: HOST_USEFUL,
		r->stack.n ? r->stack.at[r->stack.n - 1].region : MODEL_NONE, t);
}

/* What the outermost call is, or has in it; it is complete at its end. */
static struct piece *piece_add(struct look_schedule *r, enum piece_kind kind)
{
	struct piece *piece = r->look->pieces.n < PIECES_MOST ? ARRAY_ADD(&r->look->pieces) : NULL;

	if (piece)
		*piece = (struct piece){ .enter = r->entered,
			.leave = INT64_MAX,
			.kind = kind,
			.peer = MODEL_NONE };
	return piece;
}

static void pieces_leave(struct look_schedule *r, int64_t t)
{
	for (size_t i = r->first_piece; i < r->look->pieces.n; i++)
		r->look->pieces.at[i].leave = t;
}

/* Records a runtime call, also one inside of another. */
static void device_piece(struct look_schedule *r, const struct region *region,
	const struct event *event)
{
	static const bool waits[] = { [DEVICE_CALL_STREAM_SYNC] = true,
		[DEVICE_CALL_DEVICE_SYNC] = true,
		[DEVICE_CALL_FREE] = true,
		[DEVICE_CALL_EVENT_SYNC] = true,
		[DEVICE_CALL_COPY] = true };
	const OTF2_AttributeRef *attributes = r->tables->model.attributes;
	struct piece *piece;
	uint64_t correlation;

	if (region->device_call < sizeof(waits) && waits[region->device_call])
		piece_add(r, PIECE_SYNC);
	if (event_number(event, attributes[ATTRIBUTE_CORRELATION], &correlation) &&
		(piece = piece_add(r, PIECE_LAUNCH)))
		piece->correlation = correlation;
}

/* Records a call that woke a thread, at any depth, or an outermost call that waited for one. */
static void handover_piece(struct look_schedule *r, const struct region *region,
	const struct event *event)
{
	const OTF2_AttributeRef *attributes = r->tables->model.attributes;
	uint64_t wake, sync;
	struct piece *piece;

	if (!event_number(event, attributes[ATTRIBUTE_WAKE], &wake) ||
		!event_number(event, attributes[ATTRIBUTE_SYNC], &sync) || (wake && !sync) ||
		(!wake && (!r->outer || r->outer != r->stack.n)))
		return;
	piece = piece_add(r, wake ? PIECE_WAKE : PIECE_WAIT);
	if (!piece)
		return;
	piece->sync = sync;
	piece->process_wide = region_is_process_wide(region);
	piece->sent = event->t;
	if (!r->outer)
		piece->enter = piece->leave = event->t;
}

static void enter(struct look_schedule *r, const struct event *event)
{
	const struct model *model = &r->tables->model;
	static const struct region unknown = { .name = "(unknown)" };
	uint32_t number = model_region(model, event->ref);
	const struct region *region = number == MODEL_NONE ? &unknown : &model->regions.at[number];
	struct look_frame *frame = ARRAY_ADD(&r->stack);

	if (!frame) {
		r->tables->failed = true;
		return;
	}
	*frame = (struct look_frame){ number, region_kind_of_call(model, region, event) };
	r->omp |= number != MODEL_NONE &&
		model->archive->regions.at[number].paradigm == OTF2_PARADIGM_OPENMP;
	if (!r->outer && !r->off && frame->kind != KIND_USER && frame->kind != KIND_WAKE) {
		r->outer = r->stack.n;
		r->entered = event->t;
		r->first_piece = r->look->pieces.n;
		state_change(r, region_kind_states[frame->kind], number, event->t);
	} else if (!r->outer) {
		rest(r, event->t);
	}
	if (r->outer && (frame->kind == KIND_CUDA || frame->kind == KIND_NCCL))
		device_piece(r, region, event);
	else
		handover_piece(r, region, event);
}

/* A region that was entered before reading began: the thread was in it all the time. */
static void leave_unseen(struct look_schedule *r, uint32_t number, int64_t t)
{
	const struct region *region = number == MODEL_NONE ? NULL
							   : &r->tables->model.regions.at[number];

	if (r->outside && !r->outer && region && region->kind != KIND_USER &&
		region->kind != KIND_WAKE) {
		r->state = region_kind_states[region->kind];
		r->region = number;
	}
	if (!r->outer) {
		interval_end(r, t);
		r->state = NOTHING; /* so that the change is one */
		rest(r, t);
	}
}

static void leave(struct look_schedule *r, const struct event *event)
{
	uint32_t number = model_region(&r->tables->model, event->ref);
	size_t depth = r->stack.n;

	while (depth && r->stack.at[depth - 1].region != number)
		depth--;
	if (!depth) {
		leave_unseen(r, number, event->t);
		return;
	}
	r->stack.n = depth - 1;
	if (r->outer > r->stack.n) {
		pieces_leave(r, event->t);
		r->outer = 0;
	}
	if (!r->outer) {
		rest(r, event->t);
		r->access = no_access;
	}
}

static void communication(struct look_schedule *r, const struct event *event)
{
	const struct collective_op *op;
	uint32_t comm = model_comm(&r->tables->model, event->ref);
	struct piece *piece = NULL;

	if (!r->outer)
		return;
	if (event->kind == EVENT_COLLECTIVE_END || event->kind == EVENT_COLLECTIVE_COMPLETE) {
		op = collective_op(event->tag);
		piece = op && op->gate == GATE_ALL ? piece_add(r, PIECE_ALL) : NULL;
	} else if (event->kind == EVENT_RECV || event->kind == EVENT_IRECV) {
		piece = piece_add(r, PIECE_RECEIVE);
	} else if (event->kind == EVENT_SEND || event->kind == EVENT_ISEND) {
		piece = piece_add(r, PIECE_SEND);
	}
	if (!piece)
		return;
	piece->comm = comm;
	piece->posted = event->kind == EVENT_COLLECTIVE_COMPLETE;
	piece->bytes = event->bytes;
	if (piece->kind != PIECE_ALL) {
		piece->tag = event->tag;
		piece->peer = comm == MODEL_NONE
			? MODEL_NONE
			: model_peer(&r->tables->model, comm,
				  r->tables->model.locations.at[r->look->location].process,
				  event->peer);
	}
}

static void access_take(struct look_schedule *r, const struct event *event)
{
	const struct model *model = &r->tables->model;
	uint64_t offset;

	if (event->kind == EVENT_IO_BEGIN) {
		r->access = (struct access){ model_handle_file(model, event->ref),
			(int64_t)event->bytes, DB_NULL };
		if (event_number(event, model->attributes[ATTRIBUTE_OFFSET], &offset))
			r->access.offset = (int64_t)offset;
	} else if (event->kind == EVENT_IO_COMPLETE) {
		r->access.bytes = (int64_t)event->bytes;
	} else { /* opened or closed */
		r->access = (struct access){ model_handle_file(model, event->ref), DB_NULL,
			DB_NULL };
	}
}

static void thread_take(struct look_schedule *r, const struct event *event)
{
	switch (event->kind) {
	case EVENT_ENTER: enter(r, event); break;
	case EVENT_LEAVE: leave(r, event); break;
	case EVENT_MEASUREMENT:
		r->off = !event->bytes;
		if (!r->outer)
			rest(r, event->t);
		break;
	case EVENT_IO_CREATE:
	case EVENT_IO_DESTROY:
	case EVENT_IO_BEGIN:
	case EVENT_IO_COMPLETE: access_take(r, event); break;
	case EVENT_SEND:
	case EVENT_ISEND:
	case EVENT_RECV:
	case EVENT_IRECV:
	case EVENT_COLLECTIVE_END:
	case EVENT_COLLECTIVE_COMPLETE: communication(r, event); break;
	default: break;
	}
}

static void activity_begin(struct look_schedule *r, const struct event *event)
{
	const struct model *model = &r->tables->model;
	uint32_t region = event->kind == EVENT_ENTER ? model_region(model, event->ref) : MODEL_NONE;
	uint64_t comm = 0, peer;
	struct piece *piece;

	if (r->depth++)
		return;
	r->first_piece = r->look->pieces.n;
	if (region != MODEL_NONE && model->regions.at[region].activity == ACTIVITY_NONE)
		return;
	state_change(r,
		DEVICE_STATE_BASE +
			(event->kind != EVENT_ENTER ? ACTIVITY_MEMCPY
					: region == MODEL_NONE
					? ACTIVITY_COMPUTE
					: model->regions.at[region].activity),
		region, event->t);
	r->entered = event->t;
	piece = piece_add(r, PIECE_ACTIVITY);
	if (!piece)
		return;
	event_number(event, model->attributes[ATTRIBUTE_CORRELATION], &piece->correlation);
	piece->communicates = event_number(event, model->attributes[ATTRIBUTE_COMM], &comm) &&
		event_number(event, model->attributes[ATTRIBUTE_SEQ], &piece->seq);
	piece->comm = comm;
	if (event_number(event, model->attributes[ATTRIBUTE_PEER], &peer))
		piece->peer = (uint32_t)peer;
}

static void stream_take_again(struct look_schedule *r, const struct event *event)
{
	if (event->kind == EVENT_ENTER || event->kind == EVENT_RMA_BEGIN) {
		activity_begin(r, event);
	} else if (event->kind == EVENT_LEAVE || event->kind == EVENT_RMA_END) {
		if (!r->depth || --r->depth)
			return;
		pieces_leave(r, event->t);
		state_change(r, NOTHING, MODEL_NONE, event->t);
	}
}

static bool take(void *user, const struct event *event)
{
	struct look_schedule *r = user;

	if (r->skipped) {
		r->skipped--;
		return true;
	}
	r->looks->nevents++;
	if (!r->any) {
		r->any = true;
		r->since = event->t;
		r->state = r->is_stream || !r->outside ? NOTHING : HOST_USEFUL;
		if (!r->is_stream)
			rest(r, event->t);
	}
	if (r->is_stream)
		stream_take_again(r, event);
	else
		thread_take(r, event);
	return event->t <= r->looks->to && !r->tables->failed;
}

/* The last saved position with an event before t and fewer than n events before it. */
static struct in_place place_before(const struct cursor *read, int64_t t, uint64_t n)
{
	const struct in_place *places = read->places.at;
	size_t low = LOWER_BOUND(i, 0, read->places.n, places[i].t < t && places[i].n < n);

	return low ? places[low - 1] : (struct in_place){ 0 };
}

struct count {
	int64_t from;
	uint64_t n;
};

static bool take_before(void *user, const struct event *event)
{
	struct count *count = user;

	count->n += event->t < count->from;
	return event->t < count->from;
}

/*
 * Number of an event shortly before the window. It does not depend on which places were kept, as
 * these differ with the number of processes.
 */
static uint64_t position_find(struct tables *tables, const struct cursor *read,
	const struct looks *looks)
{
	int64_t from = looks->from;
	struct in_place place = place_before(read, from, UINT64_MAX);
	struct count count = { from, place.n };
	struct cursor cursor;

	cursor_open(&cursor, &tables->archive, read->location, take_before, &count);
	cursor_seek(&cursor, &place);
	while (!cursor.ended && !cursor.stopped)
		cursor_run(&cursor, READ);
	cursor_close(&cursor);
	return count.n > looks->near ? count.n - looks->earlier : 0;
}

void timeline_look(struct tables *tables, struct looks *looks, uint32_t location)
{
	const struct location *at = &tables->model.locations.at[location];
	struct look_schedule r = { .tables = tables,
		.looks = looks,
		.look = ARRAY_ADD(&looks->at),
		.state = NOTHING,
		.region = MODEL_NONE,
		.access = no_access,
		.is_stream = at->device != MODEL_NONE };
	const struct cursor *read = looks->known->cursors[location];
	struct in_place place;
	struct cursor cursor;
	uint64_t position;

	if (!r.look) {
		tables->failed = true;
		return;
	}
	*r.look = (struct look){ .location = location };
	cursor_open(&cursor, &tables->archive, at->in, take, &r);
	position = cursor.ended ? 0 : position_find(tables, read, looks);
	place = place_before(read, INT64_MAX, position + 1);
	r.outside = position > 0;
	r.skipped = position - place.n;
	cursor_seek(&cursor, &place);
	while (!cursor.ended && !cursor.stopped)
		cursor_run(&cursor, READ);
	if (r.any)
		interval_end(&r, cursor.last);
	joined_write(&r);
	if (r.outer || r.depth) /* it is in a call, or at work, after the window */
		pieces_leave(&r, cursor.last);
	cursor_close(&cursor);
	free(r.stack.at);
}
