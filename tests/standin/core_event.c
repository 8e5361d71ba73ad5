/* Events: a place in a stream, and when it was passed. */
#include "standin.h"

#include <stdlib.h>

struct event_op {
	struct standin_op op;
	CUevent event;
	uint64_t seq;
};

static void event_run(struct standin_op *op)
{
	CUevent event = ((struct event_op *)op)->event;

	pthread_mutex_lock(&event->lock);
	event->time_ns = standin_monotonic();
	pthread_mutex_unlock(&event->lock);
}

static void event_drop(struct standin_op *op)
{
	standin_event_unref(((struct event_op *)op)->event);
}

STANDIN_EXPORT CUresult standin_event_create(unsigned flags, CUevent *out)
{
	static atomic_uint ids;
	CUevent event = calloc(1, sizeof(*event));

	if (!event)
		return CUDA_ERROR_OUT_OF_MEMORY;
	pthread_mutex_init(&event->lock, NULL);
	event->flags = flags;
	event->id = atomic_fetch_add(&ids, 1) + 1;
	atomic_init(&event->users, 1);
	*out = event;
	return CUDA_SUCCESS;
}

STANDIN_EXPORT void standin_event_unref(CUevent event)
{
	if (atomic_fetch_sub(&event->users, 1) > 1)
		return;
	free(event->nodes);
	free(event);
}

struct standin_place standin_event_place(CUevent event)
{
	struct standin_place place;

	pthread_mutex_lock(&event->lock);
	place.stream = event->stream;
	place.seq = event->seq;
	pthread_mutex_unlock(&event->lock);
	return place;
}

static void event_tell(CUevent event, CUstream stream)
{
	const struct standin_hooks *hooks = standin_hooks();
	struct standin_act act = { .kind = STANDIN_ACT_EVENT, .event = event->id };

	act.device = (uint32_t)stream->ctx->device->ordinal;
	act.context = stream->ctx->id;
	act.stream = stream->id;
	act.correlation = standin_correlation();
	if (hooks)
		hooks->activity(&act);
}

STANDIN_EXPORT CUresult standin_event_record(CUevent event, CUstream stream)
{
	struct event_op *record;
	uint64_t seq;
	CUresult ret;

	if (stream->capture) {
		standin_capture_event(event, stream);
		return CUDA_SUCCESS;
	}
	record = standin_op_make(sizeof(*record), event_run);
	if (!record)
		return CUDA_ERROR_OUT_OF_MEMORY;
	record->op.drop = event_drop;
	record->event = event;
	atomic_fetch_add(&event->users, 1);
	ret = standin_submit(stream, &record->op, NULL, &seq);
	if (ret != CUDA_SUCCESS)
		return ret;
	pthread_mutex_lock(&event->lock);
	event->session = NULL;
	event->stream = stream;
	event->seq = seq;
	pthread_mutex_unlock(&event->lock);
	event_tell(event, stream);
	return CUDA_SUCCESS;
}

STANDIN_EXPORT CUresult standin_event_wait(CUstream stream, CUevent event)
{
	uint64_t start = standin_now();
	CUresult ret = standin_submit(stream, NULL, event, NULL);

	if (ret == CUDA_SUCCESS && !stream->capture)
		standin_sync_record(stream->ctx, stream->id, STANDIN_SYNC_WAIT, event->id, start);
	return ret;
}

STANDIN_EXPORT bool standin_event_done(CUevent event)
{
	struct standin_place place = standin_event_place(event);

	return !place.stream || atomic_load(&place.stream->done) >= place.seq;
}

STANDIN_EXPORT CUresult standin_event_sync(CUevent event)
{
	struct standin_place place = standin_event_place(event);
	CUstream stream = place.stream;
	uint64_t start = standin_now();

	if (event->session)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (stream) {
		standin_wait(stream, place.seq);
		standin_sync_record(stream->ctx, stream->id, STANDIN_SYNC_EVENT, event->id, start);
	}
	return CUDA_SUCCESS;
}
