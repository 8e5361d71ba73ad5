/*
 * otf2_records.c - see otf2_records.h. A file consists of chunks of one size:
 * a header (otf2_file.h), then records, an end mark, and nothing of use up to
 * the next chunk. A record is a kind, its length in bytes (in most kinds), and
 * fields; numbers are a byte count and that many bytes. Stamps and lists of
 * attributes are their own records before the event that they belong to.
 */
#include "config.h"

#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "otf2/otf2_file.h"
#include "otf2/otf2_records.h"

enum {
	CHUNK_END = 0,
	CHUNK_HEADER = 3,
	STAMP = 5,
	ATTRIBUTES = 6,
	ENTER = 12,
	LEAVE = 13,
	STAMP_SIZE = 9,
	GUARD = 64,		 /* bytes after the last one that may be inspected */
	BUFFERS = 64 << 20,	 /* of all locations that are read at a time, */
	BUFFER_LEAST = 8 << 10,	 /* but each at least */
	BUFFER_MOST = 256 << 10, /* and at most this; a longer record makes it larger */
	RECORD_MOST = 64 << 20,
	BETWEEN = 64,	 /* events between two checks whether that is enough */
	HELD_MOST = 256, /* descriptors below it stay open */
};

struct records {
	char *path;
	int held;	/* the file, if it stays open; -1 */
	uint64_t chunk; /* bytes */
	unsigned char *buffer;
	size_t size;
	uint64_t length, offset;	  /* of the file; of the buffer in it */
	size_t at, end;			  /* next record in it, end of the bytes read */
	bool whole;			  /* the file ends where the buffer ends */
	uint64_t ticks;			  /* latest stamp */
	ARRAY_OF(struct in_value) values; /* attributes of the next event, */
	uint64_t carried;		  /* and their bits */
	ARRAY_OF(OTF2_Type) types;	  /* of a metric */
	ARRAY_OF(OTF2_MetricValue) metrics;
};

/* Reads on as far as there is room, or to the end of the file. */
static void fill(struct records *records, int fd)
{
	while (records->end < records->size && !records->whole) {
		ssize_t got = pread(fd, records->buffer + records->end,
			records->size - records->end, (off_t)(records->offset + records->end));

		records->end += got > 0 ? (size_t)got : 0;
		records->whole = got <= 0 || records->offset + records->end >= records->length;
	}
	memset(records->buffer + records->end, 0, GUARD);
}

struct records *records_open(const struct archive *archive, const struct in_location *location,
	const char *path, int fd, uint64_t size, const struct in_place *start)
{
	struct records *records;
	size_t room = BUFFERS /
		((archive->together ? archive->together : archive->locations.n) + 1);

	if (!archive->plain || location->mapped || archive->chunk <= HEADER_SIZE)
		return NULL;
	records = calloc(1, sizeof(*records));
	if (!records)
		return NULL;
	records->held = -1;
	records->chunk = archive->chunk;
	records->length = size;
	records->offset = start->offset;
	records->ticks = start->ticks;
	records->size = room < BUFFER_LEAST ? BUFFER_LEAST
		: room > BUFFER_MOST	    ? BUFFER_MOST
					    : room;
	records->buffer = malloc(records->size + GUARD);
	records->path = strdup(path);
	if (!records->path || !records->buffer) {
		records_close(records);
		return NULL;
	}
	fill(records, fd);
	return records;
}

void records_place(const struct records *records, struct in_place *place)
{
	place->offset = records->offset + records->at;
	place->ticks = records->ticks;
}

void records_close(struct records *records)
{
	if (!records)
		return;
	if (records->held >= 0)
		close(records->held);
	free(records->path);
	free(records->buffer);
	free(records->values.at);
	free(records->types.at);
	free(records->metrics.at);
	free(records);
}

void records_fetch(const struct records *records)
{
	if (records)
		cache_fetch(records->buffer + records->at, 4 * CACHE_LINE);
}

/* Reads on so that `need` bytes exist. False: the file has no more, or that much is absurd. */
static bool refill(struct records *records, size_t need)
{
	size_t kept = records->end - records->at;
	int fd;

	if (records->whole)
		return kept >= need;
	if (need > records->size) {
		unsigned char *grown = need <= RECORD_MOST ? realloc(records->buffer, need + GUARD)
							   : NULL;

		if (!grown)
			return false;
		records->buffer = grown;
		records->size = need;
	}
	memmove(records->buffer, records->buffer + records->at, kept);
	records->offset += records->at;
	records->at = 0;
	records->end = kept;
	fd = records->held >= 0 ? records->held
				: open(records->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	fill(records, fd);
	/* locations may be many more than may be open; half of that is left to others */
	if (fd < HELD_MOST && fd < sysconf(_SC_OPEN_MAX) / 2)
		records->held = fd;
	if (fd != records->held)
		close(fd);
	return records->end >= need;
}

static bool have(struct records *records, size_t need)
{
	return records->end - records->at >= need || refill(records, need);
}

static uint64_t word(const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

/* The fields of a record, up to `end`; may inspect the guard after it. */
struct fields {
	const unsigned char *at, *end;
	bool wrong;
};

/* A field that is a byte count and the bytes; a count of 255 represents all bits set. */
static inline uint64_t number(struct fields *fields, unsigned most)
{
	static const uint64_t masks[] = { 0, 0xff, 0xffff, 0xffffff, UINT32_MAX, 0xffffffffff,
		0xffffffffffff, 0xffffffffffffff, UINT64_MAX };
	unsigned n = *fields->at++;
	uint64_t value;

	if (n > most) {
		fields->wrong |= n != 0xff;
		return masks[most];
	}
	value = word(fields->at) & masks[n];
	fields->at += n;
	return value;
}

static bool is_read(const struct fields *fields)
{
	return !fields->wrong && fields->at <= fields->end;
}

/*
 * To the first record of the chunk that the file offset is in. `first`: number of its first
 * event.
 */
static bool chunk_enter(struct records *records, uint64_t offset, uint64_t first)
{
	const unsigned char *header;

	if (offset < records->offset + records->end) {
		records->at = offset - records->offset;
	} else {
		records->offset = offset;
		records->at = records->end = 0;
	}
	if (!have(records, HEADER_SIZE))
		return false;
	header = records->buffer + records->at;
	records->at += HEADER_SIZE;
	return header[0] == CHUNK_HEADER && header[1] == 'B' && word(header + 2) == first;
}

static bool chunk_next(struct records *records, uint64_t first)
{
	uint64_t here = records->offset + records->at;

	return chunk_enter(records, (here + records->chunk - 1) / records->chunk * records->chunk,
		first);
}

static inline bool value_read(struct fields *fields, struct in_value *value)
{
	uint64_t bits;

	value->value.uint64 = 0;
	switch (value->type) {
	case OTF2_TYPE_UINT64:
	case OTF2_TYPE_INT64: value->value.uint64 = number(fields, 8); return true;
	case OTF2_TYPE_UINT32:
	case OTF2_TYPE_INT32:
	case OTF2_TYPE_STRING: value->value.uint32 = (uint32_t)number(fields, 4); return true;
	case OTF2_TYPE_UINT8:
	case OTF2_TYPE_INT8: value->value.uint8 = *fields->at++; return true;
	case OTF2_TYPE_UINT16:
	case OTF2_TYPE_INT16:
		value->value.uint16 = (uint16_t)word(fields->at);
		fields->at += 2;
		return true;
	case OTF2_TYPE_FLOAT:
		value->value.uint32 = (uint32_t)word(fields->at);
		fields->at += 4;
		return true;
	case OTF2_TYPE_DOUBLE:
		bits = word(fields->at);
		memcpy(&value->value.float64, &bits, sizeof(bits));
		fields->at += 8;
		return true;
	default: return false;
	}
}

/* The attributes of the next event. */
static bool attributes_read(struct records *records, struct fields *given)
{
	struct fields fields = *given;
	uint64_t n = number(&fields, 4);

	records->values.n = 0;
	records->carried = 0;
	while (records->values.n < n && fields.at < fields.end) {
		struct in_value *value = ARRAY_ADD(&records->values);

		if (!value)
			return false;
		value->ref = (uint32_t)number(&fields, 4);
		value->type = *fields.at++;
		if (!value_read(&fields, value))
			return false;
		records->carried |= event_bit(value->ref);
	}
	return is_read(&fields) && records->values.n == n;
}

static bool metric_read(struct records *records, struct fields *fields, struct event *event)
{
	event->ref = number(fields, 4);
	event->tag = *fields->at++;
	records->types.n = records->metrics.n = 0;
	while (records->metrics.n < event->tag && fields->at < fields->end) {
		OTF2_Type *type = ARRAY_ADD(&records->types);
		OTF2_MetricValue *value = ARRAY_ADD(&records->metrics);

		if (!type || !value)
			return false;
		*type = *fields->at++;
		value->unsigned_int = number(fields, 8);
	}
	event->types = records->types.at;
	event->values = records->metrics.at;
	return is_read(fields) && records->metrics.n == event->tag;
}

/*
 * ON(number of the kind, kind of event, its fields in order: N4, N8 numbers of up to 4 and 8 bytes,
 * B a byte, SKIP(n) numbers)
 */
#define SIZED_RECORDS(ON)                                                                          \
	ON(11, MEASUREMENT, B(bytes))                                                              \
	ON(14, SEND, N4(peer) N4(ref) N4(tag) N8(bytes))                                           \
	ON(15, ISEND, N4(peer) N4(ref) N4(tag) N8(bytes) N8(request))                              \
	ON(18, RECV, N4(peer) N4(ref) N4(tag) N8(bytes))                                           \
	ON(19, IRECV, N4(peer) N4(ref) N4(tag) N8(bytes) N8(request))                              \
	ON(22, OTHER, )                                                                            \
	ON(23, COLLECTIVE_END, B(tag) N4(ref) N4(peer) N8(bytes) N8(received))                     \
	ON(34, PARAMETER, N4(ref) N8(bytes))                                                       \
	ON(44, RMA_SYNC, N4(ref) N4(peer) B(tag))                                                  \
	ON(46, RMA_BEGIN, N4(ref) N4(peer) N8(bytes) N8(request) SET(tag))                         \
	ON(47, RMA_BEGIN, N4(ref) N4(peer) N8(bytes) N8(request))                                  \
	ON(48, RMA_ATOMIC, N4(ref) N4(peer) B(tag) N8(bytes) N8(received) N8(request))             \
	ON(49, RMA_END, N4(ref) N8(request))                                                       \
	ON(69, IO_CREATE, N4(ref) B(tag) N4(bytes) N4(received))                                   \
	ON(70, IO_DESTROY, N4(ref))                                                                \
	ON(72, IO_SEEK, N4(ref) N8(received) B(tag) N8(bytes))                                     \
	ON(75, IO_BEGIN, N4(ref) B(tag) N4(received) N8(bytes) N8(request))                        \
	ON(78, IO_COMPLETE, N4(ref) N8(bytes) N8(request))                                         \
	ON(85, COLLECTIVE_REQUEST, N8(request))                                                    \
	ON(86, COLLECTIVE_COMPLETE, B(tag) N4(ref) N4(peer) N8(bytes) N8(received) N8(request))

#define N4(field)  event->field = number(fields, 4);
#define N8(field)  event->field = number(fields, 8);
#define B(field)   event->field = *fields->at++;
#define SET(field) event->field = true;

/* A record with a length. False: one that libotf2 is to read. */
static bool sized_read(struct records *records, unsigned kind, struct fields *fields,
	struct event *event)
{
	switch (kind) {
#define ON(number, name, list)                                                                     \
	case number: event->kind = EVENT_##name; list break;
		SIZED_RECORDS(ON)
#undef ON
	case 31: event->kind = EVENT_METRIC; return metric_read(records, fields, event);
	default: return false;
	}
	if (kind == 11)
		event->bytes = event->bytes == OTF2_MEASUREMENT_ON;
	return is_read(fields);
}

/* The kinds that have one number and no length. */
static bool short_read(unsigned kind, struct fields *fields, struct event *event)
{
	static const unsigned char kinds[] = { [16] = EVENT_ISEND_COMPLETE,
		[17] = EVENT_IRECV_REQUEST,
		[20] = EVENT_REQUEST_TEST,
		[21] = EVENT_REQUEST_CANCELLED };

	if (kind >= sizeof(kinds) || !kinds[kind])
		return false;
	event->kind = kinds[kind];
	event->request = number(fields, 8);
	return true;
}

/* The body of the record with a length that is at the present place. */
static inline bool body_find(struct records *records, struct fields *body)
{
	uint64_t length = records->buffer[records->at + 1];
	size_t head = 2;

	if (length == 0xff) {
		head += 8;
		length = word(records->buffer + records->at + 2);
	}
	if (length > RECORD_MOST || !have(records, head + length))
		return false;
	body->at = records->buffer + records->at + head;
	body->end = body->at + length;
	return true;
}

/* What is no event: attributes, ends of chunks. */
static bool mark_read(struct records *records, const struct cursor *cursor)
{
	struct fields fields = { 0 };

	switch (records->buffer[records->at]) {
	case ATTRIBUTES:
		if (!body_find(records, &fields) || !attributes_read(records, &fields))
			return false;
		records->at = (size_t)(fields.end - records->buffer);
		return true;
	case CHUNK_END: records->at++; return chunk_next(records, cursor->nread + 1);
	default: return false;
	}
}

/* An event of a kind that is not frequent. */
static bool event_read(struct records *records, unsigned kind, struct event *event)
{
	struct fields fields = { .at = records->buffer + records->at + 1,
		.end = records->buffer + records->end };

	if (!short_read(kind, &fields, event)) {
		if (!body_find(records, &fields) || !sized_read(records, kind, &fields, event))
			return false;
		fields.at = fields.end;
	}
	records->at = (size_t)(fields.at - records->buffer);
	return is_read(&fields);
}

/* The next event, with the part before it. False: it is for libotf2. */
static bool next_read(struct records *records, const struct cursor *cursor, struct event *event)
{
	do {
		struct fields fields = { 0 };
		unsigned kind;

		if (records->end - records->at < GUARD && !records->whole)
			refill(records, 1);
		fields.at = records->buffer + records->at;
		fields.end = records->buffer + records->end;
		if (*fields.at == STAMP) {
			records->ticks = word(fields.at + 1);
			fields.at += STAMP_SIZE;
		}
		if (fields.at >= fields.end)
			return false;
		kind = *fields.at;
		if (kind == ENTER || kind == LEAVE) {
			fields.at++;
			event->kind = kind == ENTER ? EVENT_ENTER : EVENT_LEAVE;
			event->ref = number(&fields, 4);
			records->at = (size_t)(fields.at - records->buffer);
			return is_read(&fields);
		}
		records->at = (size_t)(fields.at - records->buffer);
		if (kind > ATTRIBUTES)
			return event_read(records, kind, event);
	} while (mark_read(records, cursor));
	return false;
}

bool records_read(struct records *records, struct cursor *cursor, uint64_t n)
{
	struct event event = { 0 };
	uint64_t asked = n; /* left when it was asked last whether that is enough */

	if (!records->offset && !records->at && !chunk_enter(records, 0, 1))
		return false;
	cursor->border = false;
	for (; n; n--) {
		if (asked - n == BETWEEN || cursor->border) {
			if (cursor->until && cursor->until(cursor->until_user))
				break;
			asked = n;
			cursor->border = false;
		}
		/* one by one: zeroing the whole takes longer than reading it */
		event.peer = event.tag = 0;
		event.ref = event.request = event.bytes = event.received = 0;
		if (!next_read(records, cursor, &event))
			return false;
		event.t = ticks_ns(cursor->archive, records->ticks);
		event.own = records->values.at;
		event.nown = records->values.n;
		event.carried = records->carried;
		records->values.n = records->carried = 0;
		cursor->nread++;
		if (!cursor_deliver(cursor, &event))
			break;
	}
	return true;
}
