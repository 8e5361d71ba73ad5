/*
 * otf2_in.c - see otf2_in.h. The archive: its properties, its files, which locations are read.
 * Definitions are read by otf2_defs.c, events by otf2_event.c and otf2_cursor.c.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/guard.h"
#include "base/log.h"
#include "otf2/otf2_defs.h"
#include "otf2/otf2_file.h"
#include "otf2/otf2_in.h"
#include "tacho/trace.h"

/* Readers of libotf2's that stay open, 0.3 MiB each. */
enum { OPEN_MOST = 512 };

/* Replaces libotf2's own messages on stderr, which help only developers of tacho. */
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
	free(names); /* one block, the names are in it */
}

static void creator_set(struct archive *archive)
{
	static const char scorep[] = "Score-P";
	char *creator = NULL;

	if (OTF2_Reader_GetCreator(archive->reader, &creator) == OTF2_SUCCESS && creator)
		archive->from_scorep = strncmp(creator, scorep, strlen(scorep)) == 0;
	free(creator);
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

/*
 * Some tools write no length, or one that is a little short (clock offsets): twice of it and 10 s
 * are believed.
 */
static void latest_set(struct archive *archive)
{
	__int128 latest = archive->resolution
		? (__int128)archive->length * 2000000000 / archive->resolution
		: 0;

	archive->latest_ns = archive->length > 1 && latest < TIME_MOST_NS
		? (int64_t)latest + 10000000000
		: TIME_MOST_NS;
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
 * True if a location has local definitions: mapping tables, clock offsets. Most have none, and
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
			OTF2_SUCCESS &&
		substrate == OTF2_SUBSTRATE_POSIX &&
		OTF2_Reader_GetCompression(archive->reader, &compression) == OTF2_SUCCESS &&
		compression == OTF2_COMPRESSION_NONE && !(reader && strcmp(reader, "libotf2") == 0);
}

/* Times of the first events of all locations. */
struct firsts {
	int64_t least, most;
};

static bool first_take(void *user, const struct event *event)
{
	struct firsts *firsts = user;

	if (event->t < firsts->least)
		firsts->least = event->t;
	if (event->t > firsts->most)
		firsts->most = event->t;
	return false;
}

static int64_t ticks_of(const struct archive *archive, int64_t ns)
{
	return (int64_t)((__int128)ns * archive->resolution / 1000000000);
}

/*
 * Some tools write no offset, or another clock's, and events come after years: their time 0 is the
 * first event. Archives are believed where events begin at their offset or after it within their
 * length, where the first events are further apart than that, as something is damaged then, and
 * where events are compressed, as they are not seen here.
 */
static void offset_set(struct archive *archive)
{
	struct firsts firsts = { INT64_MAX, INT64_MIN };

	if (!archive->plain || property_find(&archive->properties, PROPERTY_ARCHIVE_START))
		return;
	for (size_t i = 0; i < archive->locations.n; i++) {
		struct cursor cursor;

		cursor_open(&cursor, archive, &archive->locations.at[i], first_take, &firsts);
		cursor.second = true; /* without libotf2, nor its clock offsets */
		cursor_run(&cursor, 1);
		cursor_close(&cursor);
	}
	if (firsts.least > firsts.most ||
		(archive->length > 1 && firsts.least >= 0 &&
			(uint64_t)ticks_of(archive, firsts.least) <= archive->length) ||
		(archive->length > 1 &&
			(uint64_t)ticks_of(archive, firsts.most - firsts.least) > archive->length))
		return;
	archive->offset += ticks_of(archive, firsts.least);
	if (archive->realtime_ns)
		archive->realtime_ns += firsts.least;
}

int archive_open(struct archive *archive, const char *path, const struct in_skipped *skipped,
	size_t nskipped)
{
	struct stat st;
	uint64_t chunk;

	guard->stage = GUARD_DEFINITIONS;
	*archive = (struct archive){ .resolution = 1000000000,
		.path = strdup(path),
		.skipped = skipped,
		.nskipped = nskipped };
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
		log_error("%s is not an OTF2 archive (expected its anchor file, NAME.otf2)", path);
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
	archive->open_most = getenv("TACHO_OPEN_MOST")
		? strtoul(getenv("TACHO_OPEN_MOST"), NULL, 10)
		: OPEN_MOST;
	archive_properties(archive);
	creator_set(archive);
	if (definitions_read(archive) < 0)
		return -1;
	archive->latest_ns = TIME_MOST_NS;
	if (archive->resolution == 0) {
		log_error("%s has a clock of 0 ticks per second: its times mean nothing", path);
		return -1;
	}
	offset_set(archive);
	latest_set(archive);
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

static bool is_read(const struct archive *archive, size_t location)
{
	return !archive_skipped(archive, archive->locations.at[location].ref) &&
		!(archive->unread && archive->unread[location]);
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

int archive_open_events(struct archive *archive)
{
	bool open = false;

	for (size_t i = 0; i < archive->locations.n; i++) {
		struct in_location *location = &archive->locations.at[i];
		OTF2_DefReader *reader;

		if (!is_read(archive, i) || !has_own_definitions(archive, location->ref))
			continue;
		archive_select(archive, location);
		open = open || OTF2_Reader_OpenDefFiles(archive->reader) == OTF2_SUCCESS;
		reader = open ? OTF2_Reader_GetDefReader(archive->reader, location->ref) : NULL;
		if (!reader)
			continue;
		archive_at_location(location->ref);
		location_definitions(archive, location, reader);
		OTF2_Reader_CloseDefReader(archive->reader, reader);
	}
	if (open)
		OTF2_Reader_CloseDefFiles(archive->reader);
	if (OTF2_Reader_OpenEvtFiles(archive->reader) == OTF2_SUCCESS)
		return 0;
	log_error("cannot read the events of %s: its folder %s is missing or empty", archive->path,
		archive->events_dir);
	return -1;
}
