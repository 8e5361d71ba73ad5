/* track_io.c - operations on files and sockets: their bytes, places, time and rates; see track.h. */
#include "config.h"

#include "engine/engine.h"
#include "tables/io_file.h"
#include "tables/socket_row.h"
#include "engine/read/track.h"

static bool in_checkpoint(const struct track *track)
{
	for (size_t i = 0; i < track->open.n; i++)
		if (track->open.at[i])
			return true;
	return false;
}

static struct io_use *use_of(struct track *track, uint64_t handle)
{
	struct io_use *use;

	if (track->process == MODEL_NONE)
		return NULL;
	use = io_use_of(&track->engine->tables.files[track->process], track_model(track),
		model_handle_file(track_model(track), handle));
	if (!use)
		track_fail(track);
	return use;
}

static struct io_cursor *cursor_of(struct track *track, uint64_t handle)
{
	struct io_cursor *cursor = io_cursor_of(&track->files,
		model_handle_file(track_model(track), handle));

	if (!cursor)
		track_fail(track);
	return cursor;
}

/* One call counts once: POSIX inside MPI-IO or stdio is how the outer one does it. */
static bool io_nested(const struct track *track)
{
	int calls = 0;

	for (size_t i = 0; i < track->stack.n; i++)
		calls += track->stack.at[i].kind == KIND_IO ||
			track->stack.at[i].kind == KIND_WAIT ||
			track->stack.at[i].kind == KIND_SOCKET;
	return calls > 1;
}

/* The bytes of files that MPI_Init reads are none of a message. */
static uint32_t outer_io_region(const struct track *track)
{
	uint32_t region = track_outer_region(track);

	return region != MODEL_NONE && track_model(track)->regions.at[region].kind == KIND_IO
		? region
		: MODEL_NONE;
}

static void io_begin(struct track *track, const struct event *event)
{
	struct pending_io *pending = ARRAY_ADD(&track->pending);

	if (!pending) {
		track_fail(track);
		return;
	}
	*pending = (struct pending_io){ .handle = event->ref,
		.matching = event->request,
		.mode = event->tag,
		.begin = event->t,
		.offset = UINT64_MAX,
		.counted = !io_nested(track),
		.region = outer_io_region(track) };
	event_number(event, track_model(track)->attributes[ATTRIBUTE_OFFSET], &pending->offset);
}

static void io_rate(struct track *track, const struct io_use *use, const struct pending_io *done,
	uint64_t bytes, int64_t t)
{
	const struct model *model = track_model(track);
	uint32_t node = model->processes.at[track->process].node;
	bool write = done->mode == OTF2_IO_OPERATION_MODE_WRITE;
	enum rate_kind kind = write ? RATE_STORAGE_WRITE : RATE_STORAGE_READ;

	track->bytes_read += use->storage && !write ? bytes : 0;
	track->carried += use->sent.n ? bytes : 0;
	if (node != MODEL_NONE && use->storage &&
		rate_add(&track->engine->tables.rates[node], kind, done->begin, t, bytes) < 0)
		track_fail(track);
}

static void io_complete(struct track *track, const struct event *event)
{
	struct pending_io *pending = NULL, done;
	/* Score-P reports a failed call's -1 */
	uint64_t bytes = event->bytes > TRACK_BYTES_MOST ? 0 : event->bytes;
	struct io_cursor *cursor;
	struct io_use *use;
	size_t i;

	track->nimpossible += event->bytes > TRACK_BYTES_MOST && event->bytes <= INT64_MAX;
	for (i = track->pending.n; i > 0 && !pending; i--)
		if (track->pending.at[i - 1].handle == event->ref &&
			track->pending.at[i - 1].matching == event->request)
			pending = &track->pending.at[i - 1];
	if (!pending)
		return;
	done = *pending;
	*pending = track->pending.at[--track->pending.n];
	if (done.offset == UINT64_MAX)
		event_number(event, track_model(track)->attributes[ATTRIBUTE_OFFSET], &done.offset);
	track_proc_count(track, done.mode, bytes);
	use = done.counted ? use_of(track, event->ref) : NULL;
	cursor = use ? cursor_of(track, event->ref) : NULL;
	if (!cursor)
		return;
	use->checkpoint |= in_checkpoint(track);
	use->outside |= track->is_rank && !track->open.n &&
		done.mode == OTF2_IO_OPERATION_MODE_WRITE;
	if (done.mode == OTF2_IO_OPERATION_MODE_FLUSH) {
		use->meta_ns += event->t - done.begin;
		io_saves_sync(&use->when, &cursor->saving, event->t);
		return;
	}
	if (track_in_split_begin(track)) {
		io_use_split(use, cursor, event->ref, done.mode == OTF2_IO_OPERATION_MODE_WRITE,
			done.offset, event->t - done.begin);
		return;
	}
	if (bytes && (!use->accesses || done.begin < use->first))
		use->first = done.begin;
	if (track->run.calls > 1)
		io_use_sum(use, done.mode == OTF2_IO_OPERATION_MODE_WRITE, track->run.calls, bytes,
			event->t - done.begin);
	else
		io_use_access(use, cursor, event->ref, done.mode == OTF2_IO_OPERATION_MODE_WRITE,
			bytes, done.offset, event->t - done.begin);
	if (!bytes)
		return;
	if (done.mode == OTF2_IO_OPERATION_MODE_WRITE &&
		socket_sent(track_model(track), model_handle_file(track_model(track), event->ref),
			use, event->t, bytes) < 0)
		track_fail(track);
	if (done.mode == OTF2_IO_OPERATION_MODE_WRITE && bytes && use->storage &&
		io_saves_write(&use->when, &cursor->saving, done.begin, event->t, bytes,
			track->is_rank) < 0)
		track_fail(track);
	track_bytes(track, done.region, done.mode == OTF2_IO_OPERATION_MODE_WRITE ? bytes : 0,
		done.mode == OTF2_IO_OPERATION_MODE_WRITE ? 0 : bytes);
	io_rate(track, use, &done, bytes, event->t);
}

void track_io(struct track *track, const struct event *event)
{
	struct io_cursor *cursor;
	struct io_use *use;
	int64_t begin;

	if (event->kind == EVENT_IO_BEGIN) {
		io_begin(track, event);
		return;
	}
	if (event->kind == EVENT_IO_COMPLETE) {
		io_complete(track, event);
		return;
	}
	if (io_nested(track) || !(use = use_of(track, event->ref)) ||
		!(cursor = cursor_of(track, event->ref)))
		return;
	begin = track->stack.n ? track->stack.at[track->stack.n - 1].enter : event->t;
	use->meta_ns += event->t - begin;
	if (event->kind == EVENT_IO_CREATE) {
		io_use_open(use, cursor, event->ref);
		io_saving_open(&cursor->saving, begin);
	}
	if (event->kind == EVENT_IO_DESTROY)
		io_saves_sync(&use->when, &cursor->saving, event->t);
	if (event->kind == EVENT_IO_SEEK)
		io_cursor_seek(cursor, event->ref, event->bytes);
}
