/*
 * otf2_in.h - reads an OTF2 archive: its definitions, as they are written, and its events, location
 * by location. A location is a cursor that can be stopped and resumed. Reading is bounded for any
 * archive: by the number of events in the file or the definitions, and by time, which must not
 * decrease (libotf2 delivers events for ever from a truncated file). If several definitions have
 * the same reference, the first counts.
 */
#ifndef ANALYZER_OTF2_IN_H
#define ANALYZER_OTF2_IN_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/containers.h"

struct in_property {
	char *key, *value;
};
typedef ARRAY_OF(struct in_property) in_properties;

struct in_node { /* of the system tree */
	uint64_t ref;
	const char *name, *class_name;
	uint32_t parent; /* number in nodes, IDMAP_NONE = root */
	in_properties properties;
};

struct in_group { /* a location group: a process, an accelerator */
	uint64_t ref;
	const char *name;
	OTF2_LocationGroupType type;
	uint32_t node; /* IDMAP_NONE if the archive does not define it */
	uint32_t creator;
	in_properties properties;
};

struct in_location {
	uint64_t ref;
	const char *name;
	OTF2_LocationType type;
	uint64_t nevents;
	uint32_t group;
	in_properties properties;
	bool selected; /* libotf2 knows that it will be read */
	bool mapped;   /* it has local references and times, mapped to the archive's */
};

struct in_region {
	uint64_t ref;
	const char *name, *description;
	OTF2_RegionRole role;
	OTF2_Paradigm paradigm;
	const char *file;
};

struct in_members { /* a group of locations or ranks */
	uint64_t ref;
	OTF2_GroupType type;
	OTF2_Paradigm paradigm;
	uint64_t *members;
	uint32_t n;
};

/* Key of a list of locations: EZTrace gives it the reference of a communicator's group too. */
#define IN_LIST(ref) ((ref) | UINT64_C(1) << 63)

struct in_comm {
	uint64_t ref;
	const char *name;
	uint64_t group, remote; /* refs; remote: of an inter-communicator, else group */
	bool inter;
};

struct in_source {
	uint64_t ref;
	const char *file;
	uint32_t line;
};
struct in_context { /* a place in the tree of calls */
	uint64_t ref, region, source;
	uint64_t parent; /* reference; one that was defined before it, or none */
};
struct in_window {
	uint64_t ref, comm;
}; /* for one-sided operations */
struct in_file {
	uint64_t ref;
	const char *path;
	const char *socket; /* for a socket the known ends; NULL: none */
	uint64_t other;	    /* the file that is its other end; UINT64_MAX: not known */
};
struct in_handle {
	uint64_t ref;
	const char *name;
	uint64_t file, comm;
	bool created;
};
struct in_metric_member {
	uint64_t ref;
	const char *name, *description, *unit;
	bool accumulated;
};

/* a class, or an instance: a class with a scope; both may be recorded */
struct in_metric {
	uint64_t ref;
	uint32_t *members; /* numbers in metric_members, IDMAP_NONE when one was not defined */
	uint32_t n;
	bool scoped;	      /* of `node` or `group`; else of the location that records it */
	uint32_t node, group; /* IDMAP_NONE: not of one */
};
struct in_attribute {
	uint64_t ref;
	const char *name;
	OTF2_Type type;
};

/* One table of definitions with its map from reference to number. */
#define IN_TABLE(type)                                                                             \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t n, cap;                                                                     \
		struct idmap map;                                                                  \
	}

/* A location that crashed libotf2 in an earlier attempt, and the message about it. */
struct in_skipped {
	uint64_t ref;
	const char *damage;
};

struct archive {
	OTF2_Reader *reader;
	char *path;		 /* of the anchor file */
	char *events_dir;	 /* folder of the .evt files */
	uint64_t resolution;	 /* ticks per second */
	uint64_t offset;	 /* ticks at time 0 */
	uint64_t length;	 /* ticks from time 0 to the end; 0 = not recorded */
	uint64_t chunk;		 /* bytes of a chunk of events; 0 = not recorded */
	bool plain;		 /* a file per location, not compressed */
	bool from_scorep;	 /* Score-P wrote it */
	size_t nopen, open_most; /* readers of events, and how many stay open */
	size_t together;	 /* locations that are read at a time; 0: all */
	int64_t latest_ns;	 /* times after it are not believed */
	bool is_cut;		 /* … nor wanted: locations end there (archive_cut()) */
	uint64_t realtime_ns;	 /* epoch ns at time 0; 0 = not recorded */
	in_properties properties;
	IN_TABLE(char *) strings;
	IN_TABLE(struct in_node) nodes;
	IN_TABLE(struct in_group) groups;
	IN_TABLE(struct in_location) locations;
	IN_TABLE(struct in_region) regions;
	IN_TABLE(struct in_source) sources;
	IN_TABLE(struct in_context) contexts;
	IN_TABLE(struct in_members) members;
	IN_TABLE(struct in_comm) comms;
	IN_TABLE(struct in_window) windows;
	IN_TABLE(struct in_file) files;
	IN_TABLE(struct in_handle) handles;
	IN_TABLE(struct in_attribute) attributes;
	IN_TABLE(struct in_metric_member) metric_members;
	IN_TABLE(struct in_metric) metrics;
	/* by location: another process reads it; NULL: all are read here */
	bool *unread;
	const struct in_skipped *skipped; /* locations that are not to be read */
	size_t nskipped;
	bool failed; /* a definition could not be kept (reported) */
};

/*
 * Opens an archive by its anchor file and reads all definitions; `nskipped`
 * locations will not be touched. 0, or -1 (reported). archive_close() frees
 * everything, also after a failure.
 */
int archive_open(struct archive *archive, const char *path, const struct in_skipped *skipped,
	size_t nskipped);
void archive_close(struct archive *archive);

/* Value of a property, NULL when it is not there. */
const char *property_find(const in_properties *properties, const char *key);

enum event_kind {
	EVENT_ENTER,
	EVENT_LEAVE,
	EVENT_SEND,
	EVENT_ISEND,
	EVENT_ISEND_COMPLETE,
	EVENT_RECV,
	EVENT_IRECV_REQUEST,
	EVENT_IRECV,
	EVENT_REQUEST_TEST,
	EVENT_REQUEST_CANCELLED,
	EVENT_COLLECTIVE_BEGIN,
	EVENT_COLLECTIVE_END,
	EVENT_COLLECTIVE_REQUEST,
	EVENT_COLLECTIVE_COMPLETE,
	EVENT_IO_CREATE,
	EVENT_IO_DESTROY,
	EVENT_IO_SEEK,
	EVENT_IO_BEGIN,
	EVENT_IO_COMPLETE,
	EVENT_RMA_BEGIN,
	EVENT_RMA_END,
	EVENT_RMA_ATOMIC,
	EVENT_RMA_SYNC,
	EVENT_PARAMETER,
	EVENT_METRIC,
	EVENT_MEASUREMENT,
	EVENT_OTHER,
};

/* An attribute of an event. */
struct in_value {
	OTF2_AttributeRef ref;
	OTF2_Type type;
	OTF2_AttributeValue value;
};

struct event {
	enum event_kind kind;
	uint32_t peer; /* rank of the partner, root, or parameter's number */
	uint32_t tag;  /* or OTF2_CollectiveOp, OTF2_IoOperationMode */
	int64_t t;     /* ns since time 0 */
	/* region, communicator, handle: reference of the definition */
	uint64_t ref;
	uint64_t request; /* request or matching id */
	/*
	 * size of the operation; received: of collectives; value of a parameter; measurement: 1
	 * continues
	 */
	uint64_t bytes, received;
	uint64_t carried;		/* event_bit() of all attributes that it may carry */
	OTF2_AttributeList *attributes; /* valid during the call; see event_attribute() */
	const struct in_value *own;	/* the same where libotf2 has not read them */
	uint32_t nown;
	const OTF2_Type *types; /* of a metric's `tag` values; so are these */
	const OTF2_MetricValue *values;
};

/* It ends an operation that had begun before. */
static inline bool event_completes(const struct event *event)
{
	return event->kind == EVENT_ISEND_COMPLETE || event->kind == EVENT_IRECV ||
		event->kind == EVENT_COLLECTIVE_COMPLETE || event->kind == EVENT_REQUEST_CANCELLED;
}

/* Takes one event; false stops the cursor after it. */
typedef bool event_taker(void *user, const struct event *event);

/*
 * Where reading can be taken up: after the first `n` events, the last of which was before `t`.
 * offset: of the file, with the stamp that holds there; 0: only libotf2 can find it.
 */
struct in_place {
	uint64_t n, offset, ticks;
	int64_t t;
};

struct cursor {
	struct archive *archive;
	const struct in_location *location;
	struct records *records; /* tacho's own reader, while it can read the file */
	bool strange;		 /* something does: libotf2's is used */
	bool second;		 /* … by another cursor, which this one must not disturb */
	OTF2_EvtReader *reader;
	event_taker *take;
	void *user;
	bool (*until)(void *user); /* see cursor_run_until() */
	void *until_user;
	bool border; /* set by the consumer to ask for it now */
	/* of the last event read, by libotf2's count, when the reader was closed */
	uint64_t position;
	uint64_t nread, limit; /* records read; most that can be there */
	int64_t last;	       /* time of the latest */
	bool looked;	       /* at its file */
	bool stopped, ended;
	bool cut;	       /* more would follow, after the time at which the archive is cut */
	const char *damage;    /* fault of its events; NULL = none */
	struct in_place start; /* reading begins there */
	/* kept on the way, so many at most, and so many events apart */
	ARRAY_OF(struct in_place) places;
	uint64_t places_most, place_next;
};

/*
 * Before the first cursor: reads mapping tables and clock offsets of all locations. 0, or -1
 * (reported).
 */
int archive_open_events(struct archive *archive);

/* Before the first cursor: every location ends at t, whatever follows. */
void archive_cut(struct archive *archive, int64_t t);

/* A cursor before the first event. What is not to be read leaves it ended, with `damage` set. */
void cursor_open(struct cursor *cursor, struct archive *archive, const struct in_location *location,
	event_taker *take, void *user);

/*
 * Reads the file's header. Before, the number of events is the defined one. On failure the cursor
 * is ended, with `damage` set. The first run does this as well.
 */
void cursor_look(struct cursor *cursor);

/* Before its first run: begins there, not at the first event. */
void cursor_seek(struct cursor *cursor, const struct in_place *place);

/* Before its first run: cursor->places will hold up to `most` places. They are the caller's. */
void cursor_keep(struct cursor *cursor, uint64_t most);

/* Delivers up to `n` events, or until the taker stops it, or to the end. */
void cursor_run(struct cursor *cursor, uint64_t n);

/*
 * The same, or until until(user) is true (NULL: never). It is called after an event for which the
 * consumer has set cursor->border, and, without libotf2, every few events.
 */
void cursor_run_until(struct cursor *cursor, uint64_t n, bool (*until)(void *user), void *user);

void cursor_close(struct cursor *cursor);

/* Number `i` of an event's attributes; false after the last. */
bool event_attribute(const struct event *event, uint32_t i, struct in_value *value);

/*
 * Attributes share bits: one without its bit is not there, which is nearly always all that has to
 * be known.
 */
static inline uint64_t event_bit(OTF2_AttributeRef ref)
{
	return 1ull << ref % 64;
}

/* An attribute's value as an unsigned number; false when the event does not carry it. */
bool event_number_find(const struct event *event, OTF2_AttributeRef ref, uint64_t *value);

static inline bool event_number(const struct event *event, OTF2_AttributeRef ref, uint64_t *value)
{
	return event->carried & event_bit(ref) && event_number_find(event, ref, value);
}

/* The same of a text, valid while the archive is open; NULL when the event does not carry it. */
const char *event_text(const struct archive *archive, const struct event *event,
	OTF2_AttributeRef ref);

/* --- between otf2_in.c, otf2_event.c and otf2_cursor.c --- */

/* Times are believed up to here, 73 years, lest differences of times overflow. */
#define TIME_MOST_NS (INT64_MAX / 4)

/* The message about a location that must not be read, NULL for all others. */
const char *archive_skipped(const struct archive *archive, uint64_t ref);

/* The location is worked on: it will be to blame for a crash. */
void archive_at_location(uint64_t ref);

/*
 * libotf2 must know in advance which locations will be read, and searches all of them for each; so
 * only the locations that it really reads are selected.
 */
void archive_select(struct archive *archive, struct in_location *location);

/* What libotf2's readers call; their user data is the cursor. NULL without memory. */
OTF2_EvtReaderCallbacks *event_callbacks_new(void);

#endif
