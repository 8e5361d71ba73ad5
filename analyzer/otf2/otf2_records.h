/*
 * otf2_records.h - decodes the records of a plain event file without libotf2, which takes three
 * times as long. Unusual files (another byte order, compression, mapping tables, clock offsets,
 * rare records, any damage) are left to libotf2: it continues after the events delivered so far.
 */
#ifndef ANALYZER_OTF2_RECORDS_H
#define ANALYZER_OTF2_RECORDS_H

#include "otf2/otf2_in.h"

struct records;

/*
 * A reader of a file of `size` bytes, open as `fd` for this call, at a position from
 * records_place() or, if its offset is 0, before the first record. NULL: libotf2 has to read it, or
 * out of memory.
 */
struct records *records_open(const struct archive *archive, const struct in_location *location,
	const char *path, int fd, uint64_t size, const struct in_place *start);

/* Between two events: where in the file that is. */
void records_place(const struct records *records, struct in_place *place);

/*
 * Delivers up to `n` events to the cursor, and counts them there (nread). False: libotf2 must read
 * the next record.
 */
bool records_read(struct records *records, struct cursor *cursor, uint64_t n);

void records_close(struct records *records);

/* Fetches what will be read next into the processor's cache. `records` may be NULL. */
void records_fetch(const struct records *records);

/*
 * --- for both readers: one event exists, at `ticks`. False: the cursor has stopped or ended. ---
 */

/* Ticks of the archive as nanoseconds since time 0. */
static inline int64_t ticks_ns(const struct archive *archive, OTF2_TimeStamp ticks)
{
	if (archive->resolution == 1000000000)
		return (int64_t)(ticks - archive->offset);
	return (int64_t)(((__int128)ticks - archive->offset) * 1000000000 /
		(__int128)archive->resolution);
}

/* Times that go back, or far beyond the end, are where reading a damaged file shows. */
static inline bool cursor_deliver(struct cursor *cursor, struct event *event)
{
	if (event->t < cursor->last || event->t > cursor->archive->latest_ns) {
		cursor->cut = event->t >= cursor->last && cursor->archive->is_cut;
		if (!cursor->cut)
			cursor->damage = event->t < cursor->last
				? "times go back: the later events were not used"
				: "times are beyond the end of the trace: the later events were not used";
		cursor->ended = true;
		return false;
	}
	cursor->last = event->t;
	cursor->stopped = !cursor->take(cursor->user, event);
	return !cursor->stopped;
}

#endif
