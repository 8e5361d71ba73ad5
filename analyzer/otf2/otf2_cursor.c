/*
 * otf2_cursor.c - see otf2_in.h. A location's events as a cursor that stops and continues, by the own
 * reader (otf2_records.c) or libotf2's; how many of them are believed.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/log.h"
#include "otf2/otf2_file.h"
#include "otf2/otf2_in.h"
#include "otf2/otf2_records.h"

/* Memory for reading a location: libotf2's buffers, and state per byte of events. */
enum { LOCATION_BYTES = 1 << 20, STATE_PER_BYTE = 8 };

/* Opens the file once both for its header and for its first events. */
static struct event_file look(struct cursor *cursor)
{
	const struct archive *archive = cursor->archive;
	struct event_file file = { 0 };
	char *path;
	int fd;

	if (asprintf(&path, "%s/%" PRIu64 ".evt", archive->events_dir, cursor->location->ref) < 0)
		return file;
	/* a FIFO in the place of a file would wait for ever */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		file = event_file_look(fd, archive->chunk);
		if (file.there && !cursor->strange)
			cursor->records = records_open(archive, cursor->location, path, fd,
				file.size, &cursor->start);
		close(fd);
	}
	free(path);
	return file;
}

/*
 * How many events are believed. A file that was closed knows better than the
 * definitions (EZTrace writes those too early); of any other no more than is
 * defined, since libotf2 continues after its end.
 */
static void limit_set(struct cursor *cursor, const struct event_file *file)
{
	uint64_t defined = cursor->location->nevents;

	cursor->limit = file->complete || file->nevents < defined ? file->nevents : defined;
	if (!file->complete)
		cursor->damage = file->nevents < defined
			? "its file is too small for the number of events that is defined"
			: "its file is truncated or was never closed";
	else if (file->nevents < defined)
		cursor->damage = "it has fewer events than defined";
}

void archive_cut(struct archive *archive, int64_t t)
{
	archive->latest_ns = t;
	archive->is_cut = true;
}

void cursor_open(struct cursor *cursor, struct archive *archive, const struct in_location *location,
	event_taker *take, void *user)
{
	*cursor = (struct cursor){ .archive = archive,
		.location = location,
		.take = take,
		.user = user,
		.last = -TIME_MOST_NS,
		.place_next = UINT64_MAX };
	cursor->limit = location->nevents;
	cursor->damage = archive_skipped(archive, location->ref);
	cursor->ended = cursor->damage;
}

void cursor_look(struct cursor *cursor)
{
	struct event_file file;

	if (cursor->looked || cursor->ended)
		return;
	cursor->looked = true;
	archive_at_location(cursor->location->ref);
	file = look(cursor);
	if (!cursor->second)
		guard_memory(LOCATION_BYTES + STATE_PER_BYTE * file.size);
	if (!file.there) {
		cursor->damage = cursor->location->nevents ? "its events are missing" : NULL;
		cursor->limit = 0;
		cursor->ended = true;
		return;
	}
	limit_set(cursor, &file);
}

void cursor_seek(struct cursor *cursor, const struct in_place *place)
{
	cursor->start = *place;
	cursor->position = cursor->nread = place->n;
	cursor->strange = place->n > 0 && !place->offset;
}

void cursor_keep(struct cursor *cursor, uint64_t most)
{
	cursor->places_most = most;
	cursor->place_next = 0;
}

/* Where the present stretch of events begins; they are about equally far from each other. */
static void place_keep(struct cursor *cursor)
{
	struct in_place *place = cursor->nread ? ARRAY_ADD(&cursor->places) : NULL;

	if (place) {
		*place = (struct in_place){ .n = cursor->nread, .t = cursor->last };
		if (cursor->records)
			records_place(cursor->records, place);
	}
	cursor->place_next = cursor->nread + cursor->limit / cursor->places_most + 1;
}

/* A reader of libotf2's after the event that was read last. */
static int reader_open(struct cursor *cursor)
{
	struct archive *archive = cursor->archive;
	OTF2_EvtReaderCallbacks *callbacks = NULL;
	OTF2_ErrorCode code = OTF2_ERROR_INVALID;

	archive_select(archive, &archive->locations.at[cursor->location - archive->locations.at]);
	cursor->reader = OTF2_Reader_GetEvtReader(archive->reader, cursor->location->ref);
	if (cursor->reader) {
		archive->nopen++;
		callbacks = event_callbacks_new();
	}
	if (callbacks)
		code = OTF2_Reader_RegisterEvtCallbacks(archive->reader, cursor->reader, callbacks,
			cursor);
	if (code == OTF2_SUCCESS && cursor->position)
		/* counted from 1 */
		code = OTF2_EvtReader_Seek(cursor->reader, cursor->position + 1);
	if (callbacks)
		OTF2_EvtReaderCallbacks_Delete(callbacks);
	return code == OTF2_SUCCESS ? 0 : -1;
}

/* A reader keeps a chunk in memory, so only some of them stay open while others are read. */
static void reader_leave(struct cursor *cursor)
{
	if (cursor->ended ||
		(cursor->reader && cursor->archive->nopen > cursor->archive->open_most &&
			OTF2_EvtReader_GetPos(cursor->reader, &cursor->position) == OTF2_SUCCESS))
		cursor_close(cursor);
}

/* Continues with the own reader. False: libotf2 has to. */
static bool records_run(struct cursor *cursor, uint64_t n)
{
	cursor->strange = !cursor->records || !records_read(cursor->records, cursor, n);
	if (cursor->strange) {
		if (!cursor->second)
			log_debug("location %" PRIu64 " is read by libotf2 from its event %" PRIu64
				  " on",
				cursor->location->ref, cursor->nread);
		records_close(cursor->records);
		cursor->records = NULL;
		cursor->position = cursor->nread;
	}
	return !cursor->strange;
}

static void events_read(struct cursor *cursor, uint64_t n)
{
	uint64_t left = cursor->limit - cursor->nread, read = 0;
	OTF2_ErrorCode code = OTF2_SUCCESS;

	cursor->stopped = false;
	archive_at_location(cursor->location->ref);
	if (cursor->nread >= cursor->place_next)
		place_keep(cursor);
	if (left && !cursor->strange && records_run(cursor, n < left ? n : left)) {
		cursor->ended |= !cursor->stopped && cursor->nread >= cursor->limit;
		return;
	}
	left = cursor->limit - cursor->nread;
	if (left && !cursor->reader && (cursor->second || reader_open(cursor) < 0)) {
		cursor->damage = "its events cannot be read";
		cursor->ended = true;
		return;
	}
	if (left)
		code = OTF2_Reader_ReadLocalEvents(cursor->archive->reader, cursor->reader,
			n < left ? n : left, &read);
	cursor->nread += read;
	if (cursor->ended || cursor->stopped)
		return;
	if (code != OTF2_SUCCESS && code != OTF2_ERROR_INTERRUPTED_BY_CALLBACK) {
		cursor->damage = "reading failed before its end";
		cursor->ended = true;
	} else if (cursor->nread >= cursor->limit || read == 0) {
		if (cursor->nread < cursor->limit && !cursor->damage)
			cursor->damage = "it has fewer events than its file declares";
		cursor->ended = true;
	}
}

void cursor_run(struct cursor *cursor, uint64_t n)
{
	cursor_look(cursor);
	if (cursor->ended)
		return;
	events_read(cursor, n);
	reader_leave(cursor);
}

void cursor_run_until(struct cursor *cursor, uint64_t n, bool (*until)(void *user), void *user)
{
	cursor->until = until;
	cursor->until_user = user;
	cursor_run(cursor, n);
	cursor->until = NULL;
}

void cursor_close(struct cursor *cursor)
{
	records_close(cursor->records);
	cursor->records = NULL;
	if (cursor->reader) {
		OTF2_Reader_CloseEvtReader(cursor->archive->reader, cursor->reader);
		cursor->archive->nopen--;
	}
	cursor->reader = NULL;
}
