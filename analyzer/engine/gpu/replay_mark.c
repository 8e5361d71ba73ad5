/*
 * replay_mark.c - places in streams that calls, streams and events wait for: made, let go of, and
 * whether all before them has come by, and when; see replay_device.h.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"

void mark_release(struct mark *mark)
{
	if (!mark || --mark->references)
		return;
	for (size_t i = 0; i < mark->after.n; i++)
		mark_release(mark->after.at[i]);
	free(mark->after.at);
	free(mark);
}

void marks_prune(struct stream *stream)
{
	size_t n = 0;

	for (size_t i = 0; i < stream->marks.n; i++)
		if (stream->marks.at[i]->references > 1)
			stream->marks.at[n++] = stream->marks.at[i];
		else
			mark_release(stream->marks.at[i]);
	stream->marks.n = n;
}

/* The mark is after another; of several in one stream the last is enough. */
static void mark_follow(struct mark *mark, struct mark *other)
{
	struct mark **after = NULL;

	for (size_t i = 0; i < mark->after.n && !after; i++)
		if (mark->after.at[i]->stream == other->stream)
			after = &mark->after.at[i];
	if (after && !place_after(&other->place, &(*after)->place))
		return;
	if (after)
		mark_release(*after);
	else
		after = ARRAY_ADD(&mark->after);
	if (!after)
		return;
	*after = other;
	other->references++;
}

struct mark *mark_add(struct track *track, uint32_t location, int64_t t)
{
	struct stream *stream = &track->engine->device.streams[location];
	struct mark *mark = calloc(1, sizeof(*mark)), **at;
	size_t i;

	if (stream->marks.n % 64 == 63)
		marks_prune(stream);
	at = ARRAY_ADD(&stream->marks);
	if (!mark || !at) {
		stream->marks.n -= at != NULL;
		free(mark);
		track_fail(track);
		return NULL;
	}
	*mark = (struct mark){ .stream = location, .references = 2, .end.t = INT64_MIN };
	mark->place = (struct report_order){ t, track->nenters, track->location };
	for (i = stream->marks.n - 1;
		i > 0 && place_after(&stream->marks.at[i - 1]->place, &mark->place); i--)
		stream->marks.at[i] = stream->marks.at[i - 1];
	stream->marks.at[i] = mark;
	for (i = 0; i < stream->waits.n; i++) /* work after an event's wait follows the event */
		mark_follow(mark, stream->waits.at[i].mark);
	return mark;
}

/* Whether the stream has come past all that it is after, seen from t. */
static bool own_ready(struct engine *engine, const struct mark *mark, int64_t t)
{
	const struct stream *stream = &engine->device.streams[mark->stream];
	const struct track *track = &engine->tracks[mark->stream];
	const struct device_process *process = &engine->device.processes[track->process];
	uint32_t launch;

	if (stream->state == STREAM_IDLE)
		return (track->cursor.ended && !track->replay.parked) ||
			(track->any && track->last > t);
	launch = stream->correlated ? launch_find(process, stream->correlation) : MODEL_NONE;
	if (launch == MODEL_NONE)
		return stream->start >= t ||
			(!stream->correlated && stream->state != STREAM_OPEN && stream->stop > t);
	return stream->start > t || place_after(&process->launches.at[launch].place, &mark->place);
}

/* Many ways may lead to one mark: streams that wait for each other in turn. Each is gone once. */
static bool mark_visit(struct engine *engine, struct mark *mark)
{
	bool new = mark->visit != engine->device.visit;

	mark->visit = engine->device.visit;
	return new;
}

static bool all_ready(struct engine *engine, struct mark *mark, int64_t t, struct track **slow)
{
	if (!mark_visit(engine, mark))
		return true;
	if (!mark->resolved && !own_ready(engine, mark, t)) {
		*slow = &engine->tracks[mark->stream];
		return false;
	}
	for (size_t i = 0; i < mark->after.n; i++)
		if (!all_ready(engine, mark->after.at[i], t, slow))
			return false;
	return true;
}

bool mark_ready(struct engine *engine, struct mark *mark, int64_t t, struct track **slow)
{
	engine->device.visit++;
	return all_ready(engine, mark, t, slow);
}

static void moment_gather(struct moment *end, const struct moment *other)
{
	if (other->t == INT64_MIN)
		return;
	if (end->t == INT64_MIN)
		*end = *other;
	else
		moment_later(end, other);
}

/* What can no longer change becomes part of the mark's own end: chains stay short. */
static void mark_fold(struct mark *mark)
{
	size_t left = 0;

	for (size_t i = 0; i < mark->after.n; i++) {
		struct mark *other = mark->after.at[i];

		if (other->resolved && !other->after.n) {
			moment_gather(&mark->end, &other->end);
			mark_release(other);
		} else {
			mark->after.at[left++] = other;
		}
	}
	mark->after.n = left;
}

static void all_gather(struct engine *engine, struct mark *mark, struct moment *end)
{
	const struct stream *stream = &engine->device.streams[mark->stream];

	if (!mark_visit(engine, mark))
		return;
	moment_gather(end, !mark->resolved && stream->any ? &stream->end : &mark->end);
	for (size_t i = 0; i < mark->after.n; i++)
		all_gather(engine, mark->after.at[i], end);
	if (mark->resolved)
		mark_fold(mark);
}

struct moment mark_end(struct engine *engine, struct mark *mark)
{
	struct moment end = { .t = INT64_MIN };

	engine->device.visit++;
	all_gather(engine, mark, &end);
	return end;
}
