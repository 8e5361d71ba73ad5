/* otf2_in.c - see otf2_in.h. Archives and their events; definitions are read by otf2_defs.c. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard.h"
#include "log.h"
#include "otf2_defs.h"
#include "otf2_file.h"
#include "otf2_in.h"
#include "otf2_records.h"

/* Readers of libotf2's that stay open, 0.3 MiB each. */
enum { OPEN_MOST = 512 };

/*
 * What reading a location may cost in memory: libotf2's buffers, and what a byte of events may
 * become.
 */
enum { LOCATION_BYTES = 1 << 20, STATE_PER_BYTE = 8 };

/* libotf2 would write to stderr by itself; its words help only those who debug tacho. */
static OTF2_ErrorCode on_error(void *user, const char *file, uint64_t line, const char *function,
		OTF2_ErrorCode code, const char *format, va_list args)
{
	char said[400];

	(void)user, (void)file, (void)line;
	vsnprintf(said, sizeof(said), format, args);
	log_debug("libotf2: %s: %s: %s", function, OTF2_Error_GetName(code), said);
	return code;
}

const char *property_find(const in_properties *properties, const char *key)
{
	for (size_t i = 0; i < properties->n; i++)
		if (strcmp(properties->at[i].key, key) == 0)
			return properties->at[i].value;
	return NULL;
}

static void archive_properties(struct archive *archive)
{
	uint32_t n = 0;
	char **names = NULL, *value;

	if (OTF2_Reader_GetPropertyNames(archive->reader, &n, &names) != OTF2_SUCCESS)
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct in_property *property;

		if (OTF2_Reader_GetProperty(archive->reader, names[i], &value) != OTF2_SUCCESS)
			continue;
		property = ARRAY_ADD(&archive->properties);
		if (!property || !(property->key = strdup(names[i])))
			archive->failed = true;
		else
			property->value = value;
	}
	free(names);		/* one block, the names lie in it */
}

/* The anchor's path without .otf2 is the folder of the events. */
static int events_dir_set(struct archive *archive)
{
	size_t len = strlen(archive->path);

	archive->events_dir = strdup(archive->path);
	if (!archive->events_dir)
		return -1;
	if (len > 5 && strcmp(archive->events_dir + len - 5, ".otf2") == 0)
		archive->events_dir[len - 5] = '\0';
	return 0;
}

/* Times are believed up to here, 73 years, lest differences of times overflow. */
#define TIME_MOST_NS	(INT64_MAX / 4)

/*
 * Some tools write no length, or one that is a little short (clock offsets): twice of it and 10 s
 * are believed.
 */
static void latest_set(struct archive *archive)
{
	__int128 latest = archive->resolution ?
		(__int128)archive->length * 2000000000 / archive->resolution :
		0;

	archive->latest_ns = archive->length > 1 && latest < TIME_MOST_NS ?
		(int64_t)latest + 10000000000 :
		TIME_MOST_NS;
}

/* libotf2 would wait for ever at a FIFO in the place of a file. */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool has_definitions(const struct archive *archive)
{
	char *path;
	bool has;

	if (asprintf(&path, "%s.def", archive->events_dir) < 0)
		return false;
	has = is_file(path);
	free(path);
	return has;
}

/*
 * Whether a location has definitions of its own: mapping tables, clock offsets. Most have not, and
 * reading a file without any costs libotf2 4 MiB of zeroes.
 */
static bool has_own_definitions(const struct archive *archive, uint64_t ref)
{
	struct stat st;
	char *path;
	bool has;

	if (asprintf(&path, "%s/%" PRIu64 ".def", archive->events_dir, ref) < 0)
		return true;
	has = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size != FILE_EMPTY;
	free(path);
	return has;
}

/* TACHO_READER=libotf2 keeps to libotf2 (for tests). */
static void plain_set(struct archive *archive)
{
	const char *reader = getenv("TACHO_READER");
	OTF2_FileSubstrate substrate;
	OTF2_Compression compression;

	archive->plain = OTF2_Reader_GetFileSubstrate(archive->reader, &substrate) ==
		OTF2_SUCCESS && substrate == OTF2_SUBSTRATE_POSIX &&
		OTF2_Reader_GetCompression(archive->reader, &compression) == OTF2_SUCCESS &&
		compression == OTF2_COMPRESSION_NONE && !(reader && strcmp(reader, "libotf2") == 0);
}

int archive_open(struct archive *archive, const char *path, const struct in_skipped *skipped,
		size_t nskipped)
{
	struct stat st;
	uint64_t chunk;

	guard->stage = GUARD_DEFINITIONS;
	*archive = (struct archive){ .resolution = 1000000000, .path = strdup(path),
		.skipped = skipped, .nskipped = nskipped };
	if (!archive->path || events_dir_set(archive) < 0) {
		log_error("out of memory");
		return -1;
	}
	if (stat(path, &st) < 0) {
		log_error("cannot read %s: %s", path, strerror(errno));
		return -1;
	}
	OTF2_Error_RegisterCallback(on_error, NULL);
	archive->reader = S_ISREG(st.st_mode) ? OTF2_Reader_Open(path) : NULL;
	if (!archive->reader ||
		OTF2_Reader_SetSerialCollectiveCallbacks(archive->reader) != OTF2_SUCCESS) {
		log_error(
			"%s is not an OTF2 archive (its anchor file, NAME.otf2, is wanted)", path);
		return -1;
	}
	if (!has_definitions(archive)) {
		log_error("%s has no definitions: its file %s.def is missing", path,
			archive->events_dir);
		return -1;
	}
	if (OTF2_Reader_GetChunkSize(archive->reader, &archive->chunk, &chunk) != OTF2_SUCCESS)
		archive->chunk = 0;
	plain_set(archive);
	archive->open_most = getenv("TACHO_OPEN_MOST") ?
		strtoul(getenv("TACHO_OPEN_MOST"), NULL, 10) : OPEN_MOST;
	archive_properties(archive);
	if (definitions_read(archive) < 0)
		return -1;
	latest_set(archive);
	if (archive->resolution == 0) {
		log_error("%s has a clock of 0 ticks per second: its times mean nothing", path);
		return -1;
	}
	return 0;
}

void archive_close(struct archive *archive)
{
	if (archive->reader)
		OTF2_Reader_Close(archive->reader);
	definitions_free(archive);
	free(archive->path);
	free(archive->events_dir);
	*archive = (struct archive){ 0 };
}

/* What is said of a location that is not to be read, NULL for all others. */
static const char *skipped(const struct archive *archive, uint64_t ref)
{
	for (size_t i = 0; i < archive->nskipped; i++)
		if (archive->skipped[i].ref == ref)
			return archive->skipped[i].damage;
	return NULL;
}

static bool is_read(const struct archive *archive, size_t location)
{
	return !skipped(archive, archive->locations.at[location].ref) &&
		!(archive->unread && archive->unread[location]);
}

static void at_location(uint64_t ref)
{
	guard->location = ref;
	guard->stage = GUARD_EVENTS;
	guard->progress++;
}

static OTF2_CallbackCode on_mapping(void *user, OTF2_MappingType type, const OTF2_IdMap *map)
{
	(void)type, (void)map;
	((struct in_location *)user)->mapped = true;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *user, OTF2_TimeStamp at, int64_t offset, double deviation)
{
	(void)at, (void)offset, (void)deviation;
	((struct in_location *)user)->mapped = true;
	return OTF2_CALLBACK_SUCCESS;
}

/* Mapping tables and clock offsets of a location; libotf2 keeps them. */
static void location_definitions(struct archive *archive, struct in_location *location,
		OTF2_DefReader *reader)
{
	OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
	uint64_t n;

	location->mapped = !callbacks;
	if (callbacks) {
		OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_mapping);
		OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock);
		OTF2_Reader_RegisterDefCallbacks(archive->reader, reader, callbacks, location);
		OTF2_DefReaderCallbacks_Delete(callbacks);
	}
	OTF2_Reader_ReadAllLocalDefinitions(archive->reader, reader, &n);
}

/*
 * libotf2 wants to be told which locations it will read, and searches all of
 * them for each; only those that it really reads are told.
 */
static void location_select(struct archive *archive, struct in_location *location)
{
	if (!location->selected)
		OTF2_Reader_SelectLocation(archive->reader, location->ref);
	location->selected = true;
}

int archive_open_events(struct archive *archive)
{
	bool open = false;

	for (size_t i = 0; i < archive->locations.n; i++) {
		struct in_location *location = &archive->locations.at[i];
		OTF2_DefReader *reader;

		if (!is_read(archive, i) || !has_own_definitions(archive, location->ref))
			continue;
		location_select(archive, location);
		open = open || OTF2_Reader_OpenDefFiles(archive->reader) == OTF2_SUCCESS;
		reader = open ? OTF2_Reader_GetDefReader(archive->reader, location->ref) : NULL;
		if (!reader)
			continue;
		at_location(location->ref);
		location_definitions(archive, location, reader);
		OTF2_Reader_CloseDefReader(archive->reader, reader);
	}
	if (open)
		OTF2_Reader_CloseDefFiles(archive->reader);
	if (OTF2_Reader_OpenEvtFiles(archive->reader) == OTF2_SUCCESS)
		return 0;
	log_error("cannot read the events of %s: its folder %s is missing or empty",
		archive->path, archive->events_dir);
	return -1;
}

bool event_attribute(const struct event *event, uint32_t i, struct in_value *value)
{
	if (event->nown) {
		if (i < event->nown)
			*value = event->own[i];
		return i < event->nown;
	}
	return event->attributes && i < OTF2_AttributeList_GetNumberOfElements(event->attributes) &&
		OTF2_AttributeList_GetAttributeByIndex(event->attributes, i, &value->ref,
		&value->type, &value->value) == OTF2_SUCCESS;
}

/*
 * The attribute `ref`, NULL when the event does not carry it; what libotf2 has read is put into
 * *value.
 */
static const struct in_value *value_find(const struct event *event, OTF2_AttributeRef ref,
		struct in_value *value)
{
	if (ref == OTF2_UNDEFINED_ATTRIBUTE)
		return NULL;
	for (uint32_t i = 0; i < event->nown; i++)
		if (event->own[i].ref == ref)
			return &event->own[i];
	return event->attributes &&
		OTF2_AttributeList_GetAttributeByID(event->attributes, ref, &value->type,
			&value->value) == OTF2_SUCCESS ? value : NULL;
}

bool event_number_find(const struct event *event, OTF2_AttributeRef ref, uint64_t *value)
{
	struct in_value place;
	const struct in_value *found = value_find(event, ref, &place);

	if (!found)
		return false;
	switch (found->type) {
	case OTF2_TYPE_UINT8: *value = found->value.uint8; return true;
	case OTF2_TYPE_UINT16: *value = found->value.uint16; return true;
	case OTF2_TYPE_UINT32: *value = found->value.uint32; return true;
	case OTF2_TYPE_UINT64: *value = found->value.uint64; return true;
	case OTF2_TYPE_INT64: *value = (uint64_t)found->value.int64; return found->value.int64 >= 0;
	default: return false;
	}
}

const char *event_text(const struct archive *archive, const struct event *event,
		OTF2_AttributeRef ref)
{
	struct in_value place;
	const struct in_value *found = event->told & event_bit(ref) ?
		value_find(event, ref, &place) : NULL;
	uint32_t number;

	if (!found || found->type != OTF2_TYPE_STRING)
		return NULL;
	number = idmap_find(&archive->strings.map, found->value.stringRef);
	return number == IDMAP_NONE ? NULL : archive->strings.at[number];
}

static OTF2_CallbackCode deliver(void *user, OTF2_TimeStamp ticks, OTF2_AttributeList *attributes,
		struct event *event)
{
	struct cursor *cursor = user;

	event->t = ticks_ns(cursor->archive, ticks);
	event->attributes = attributes;
	event->told = attributes ? UINT64_MAX : 0;
	return cursor_deliver(cursor, event) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

/*
 * ON(what, kind, (parameters behind the attribute list), fields of struct event):
 * each kind of record becomes a struct event.
 */
#define EVENTS(ON)											\
	ON(Enter, ENTER, (OTF2_RegionRef region), .ref = region)					\
	ON(Leave, LEAVE, (OTF2_RegionRef region), .ref = region)					\
	ON(MpiSend, SEND, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes),		\
		.peer = peer, .ref = comm, .tag = tag, .bytes = bytes)					\
	ON(MpiIsend, ISEND, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request),	\
		.peer = peer, .ref = comm, .tag = tag, .bytes = bytes, .request = request)		\
	ON(MpiIsendComplete, ISEND_COMPLETE, (uint64_t request), .request = request)			\
	ON(MpiRecv, RECV, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes),		\
		.peer = peer, .ref = comm, .tag = tag, .bytes = bytes)					\
	ON(MpiIrecvRequest, IRECV_REQUEST, (uint64_t request), .request = request)			\
	ON(MpiIrecv, IRECV, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request),	\
		.peer = peer, .ref = comm, .tag = tag, .bytes = bytes, .request = request)		\
	ON(MpiRequestTest, REQUEST_TEST, (uint64_t request), .request = request)			\
	ON(MpiRequestCancelled, REQUEST_CANCELLED, (uint64_t request), .request = request)		\
	ON(MpiCollectiveEnd, COLLECTIVE_END, (OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root,	\
		uint64_t sent, uint64_t received),							\
		.tag = op, .ref = comm, .peer = root, .bytes = sent, .received = received)		\
	ON(NonBlockingCollectiveRequest, COLLECTIVE_REQUEST, (uint64_t request), .request = request)	\
	ON(NonBlockingCollectiveComplete, COLLECTIVE_COMPLETE, (OTF2_CollectiveOp op, OTF2_CommRef comm,	\
		uint32_t root, uint64_t sent, uint64_t received, uint64_t request),			\
		.tag = op, .ref = comm, .peer = root, .bytes = sent, .received = received, .request = request)	\
	ON(IoCreateHandle, IO_CREATE, (OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,			\
		OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status),				\
		.ref = handle, .tag = mode, .bytes = creation, .received = status)			\
	ON(IoDestroyHandle, IO_DESTROY, (OTF2_IoHandleRef handle), .ref = handle)			\
	ON(IoSeek, IO_SEEK, (OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence, uint64_t result),	\
		.ref = handle, .bytes = result, .received = (uint64_t)offset, .tag = whence)		\
	ON(IoOperationBegin, IO_BEGIN, (OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,		\
		OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t matching),				\
		.ref = handle, .tag = mode, .bytes = bytes, .request = matching, .received = flags)	\
	ON(IoOperationComplete, IO_COMPLETE, (OTF2_IoHandleRef handle, uint64_t bytes, uint64_t matching),	\
		.ref = handle, .bytes = bytes, .request = matching)					\
	ON(MeasurementOnOff, MEASUREMENT, (OTF2_MeasurementMode mode), .bytes = mode == OTF2_MEASUREMENT_ON)	\
	ON(RmaPut, RMA_BEGIN, (OTF2_RmaWinRef window, uint32_t peer, uint64_t bytes, uint64_t matching),	\
		.ref = window, .peer = peer, .bytes = bytes, .request = matching, .tag = true)		\
	ON(RmaGet, RMA_BEGIN, (OTF2_RmaWinRef window, uint32_t peer, uint64_t bytes, uint64_t matching),	\
		.ref = window, .peer = peer, .bytes = bytes, .request = matching)			\
	ON(RmaOpCompleteBlocking, RMA_END, (OTF2_RmaWinRef window, uint64_t matching),			\
		.ref = window, .request = matching)							\
	ON(ParameterUnsignedInt, PARAMETER, (OTF2_ParameterRef parameter, uint64_t value),		\
		.ref = parameter, .bytes = value)

#define UNWRAP(...) __VA_ARGS__
#define ON(what, event_kind, params, ...)							\
static OTF2_CallbackCode on_##what(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,	\
		void *user, OTF2_AttributeList *attributes, UNWRAP params)			\
{												\
	struct event event = { .kind = EVENT_##event_kind, __VA_ARGS__ };			\
												\
	(void)location, (void)position;								\
	return deliver(user, time, attributes, &event);						\
}
EVENTS(ON)
#undef ON

/* Records that only prove that the location lived then. */
static OTF2_CallbackCode on_other(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
		void *user, OTF2_AttributeList *attributes)
{
	struct event event = { .kind = EVENT_OTHER };

	(void)location, (void)position;
	return deliver(user, time, attributes, &event);
}

/*
 * Tools that unwind the stack tell the whole way to a region that is entered or left. What lies
 * between it and the last one was not instrumented, and nobody knows since when it runs.
 */
static OTF2_CallbackCode context_deliver(void *user, OTF2_TimeStamp time,
	OTF2_AttributeList *attributes, enum event_kind kind, OTF2_CallingContextRef context)
{
	const struct archive *archive = ((struct cursor *)user)->archive;
	uint32_t at = idmap_find(&archive->contexts.map, context);
	struct event event = { .kind = kind, .ref = at == IDMAP_NONE ? OTF2_UNDEFINED_REGION :
		archive->contexts.at[at].region };

	return deliver(user, time, attributes, &event);
}

static OTF2_CallbackCode on_context_enter(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes,
	OTF2_CallingContextRef context, uint32_t distance)
{
	(void)location, (void)position, (void)distance;
	return context_deliver(user, time, attributes, EVENT_ENTER, context);
}

static OTF2_CallbackCode on_context_leave(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes,
	OTF2_CallingContextRef context)
{
	(void)location, (void)position;
	return context_deliver(user, time, attributes, EVENT_LEAVE, context);
}

/* A fence, or the making of a window: a collective of the window's communicator. */
static OTF2_CallbackCode on_rma_collective(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
	OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
	uint64_t received)
{
	const struct archive *archive = ((struct cursor *)user)->archive;
	uint32_t at = idmap_find(&archive->windows.map, window);
	struct event event = { .kind = EVENT_COLLECTIVE_END, .tag = op, .peer = root, .bytes = sent,
		.received = received, .ref = at == IDMAP_NONE ? OTF2_UNDEFINED_UINT64 :
		archive->windows.at[at].comm };

	(void)location, (void)position, (void)level;
	return deliver(user, time, attributes, &event);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define OTHER(what, ...)									\
static OTF2_CallbackCode other_##what(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,	\
		void *user, OTF2_AttributeList *attributes __VA_OPT__(,) __VA_ARGS__)		\
{												\
	return on_other(location, time, position, user, attributes);				\
}
#include "otf2_others.def"
#undef OTHER
#pragma GCC diagnostic pop

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes, OTF2_MetricRef metric,
	uint8_t n, const OTF2_Type *types, const OTF2_MetricValue *values)
{
	struct event event = {
		.kind = EVENT_METRIC, .ref = metric, .tag = n, .types = types, .values = values
	};

	(void)location, (void)position;
	return deliver(user, time, attributes, &event);
}

static OTF2_CallbackCode on_program_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes, OTF2_StringRef name,
	uint32_t n, const OTF2_StringRef *arguments)
{
	(void)name, (void)n, (void)arguments;
	return on_other(location, time, position, user, attributes);
}

static OTF2_CallbackCode on_program_end(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes, int64_t status)
{
	(void)status;
	return on_other(location, time, position, user, attributes);
}

static OTF2_EvtReaderCallbacks *callbacks_new(void)
{
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

	if (!callbacks)
		return NULL;
#define ON(what, ...) OTF2_EvtReaderCallbacks_Set##what##Callback(callbacks, on_##what);
	EVENTS(ON)
#undef ON
#define OTHER(what, ...) OTF2_EvtReaderCallbacks_Set##what##Callback(callbacks, other_##what);
#include "otf2_others.def"
#undef OTHER
	OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, on_other);
	OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(callbacks, on_context_enter);
	OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(callbacks, on_context_leave);
	OTF2_EvtReaderCallbacks_SetMetricCallback(callbacks, on_metric);
	OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(callbacks, on_rma_collective);
	OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_other);
	OTF2_EvtReaderCallbacks_SetProgramBeginCallback(callbacks, on_program_begin);
	OTF2_EvtReaderCallbacks_SetProgramEndCallback(callbacks, on_program_end);
	return callbacks;
}

/* The file is opened once for both: what it tells of itself, and its first events. */
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
			cursor->records =
				records_open(archive, cursor->location, path, fd, file.size,
					&cursor->start);
		close(fd);
	}
	free(path);
	return file;
}

/*
 * How many events are believed. A file that was closed knows better than the
 * definitions (EZTrace writes those too early); of any other no more than is
 * defined, since libotf2 goes on behind its end.
 */
static void limit_set(struct cursor *cursor, const struct event_file *file)
{
	uint64_t defined = cursor->location->nevents;

	cursor->limit = file->whole || file->nevents < defined ? file->nevents : defined;
	if (!file->whole)
		cursor->damage = file->nevents < defined ?
			"its file is too small for the number of events that is defined" :
			"its file is cut off or was never closed";
	else if (file->nevents < defined)
		cursor->damage = "it has fewer events than defined";
}

void cursor_open(struct cursor *cursor, struct archive *archive, const struct in_location *location,
		event_taker *take, void *user)
{
	*cursor = (struct cursor){ .archive = archive, .location = location,
		.take = take, .user = user, .last = -TIME_MOST_NS, .place_next = UINT64_MAX };
	cursor->limit = location->nevents;
	cursor->damage = skipped(archive, location->ref);
	cursor->ended = cursor->damage;
}

void cursor_look(struct cursor *cursor)
{
	struct event_file file;

	if (cursor->looked || cursor->ended)
		return;
	cursor->looked = true;
	at_location(cursor->location->ref);
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

/* A reader of libotf2's behind the event that was read last. */
static int reader_open(struct cursor *cursor)
{
	struct archive *archive = cursor->archive;
	OTF2_EvtReaderCallbacks *callbacks = NULL;
	OTF2_ErrorCode code = OTF2_ERROR_INVALID;

	location_select(archive, &archive->locations.at[cursor->location - archive->locations.at]);
	cursor->reader = OTF2_Reader_GetEvtReader(archive->reader, cursor->location->ref);
	if (cursor->reader) {
		archive->nopen++;
		callbacks = callbacks_new();
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

/* Goes on with the own reader. False: libotf2 has to. */
static bool records_run(struct cursor *cursor, uint64_t n)
{
	cursor->strange = !cursor->records || !records_read(cursor->records, cursor, n);
	if (cursor->strange) {
		log_debug("location %" PRIu64 " is read by libotf2 from its event %" PRIu64 " on",
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
	at_location(cursor->location->ref);
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
		code = OTF2_Reader_ReadLocalEvents(
			cursor->archive->reader, cursor->reader, n < left ? n : left, &read);
	cursor->nread += read;
	if (cursor->ended || cursor->stopped)
		return;
	if (code != OTF2_SUCCESS && code != OTF2_ERROR_INTERRUPTED_BY_CALLBACK) {
		cursor->damage = "reading failed before its end";
		cursor->ended = true;
	} else if (cursor->nread >= cursor->limit || read == 0) {
		if (cursor->nread < cursor->limit && !cursor->damage)
			cursor->damage = "it has fewer events than its file says";
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

bool cursor_ahead(struct cursor *cursor, uint32_t n)
{
	return cursor->records && !cursor->ended && records_ahead(cursor->records, cursor, n);
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
