/*
 * nccl_profiler_old.c - NCCL's profiler plugin for NCCL 2.23 to 2.26: versions
 * 1 to 3 of the interface. They say what version 4 says of a collective, at
 * other places; version 1 has numbers where the later ones have names. Instead of
 * the channels that are used they say how many there may be at most. init()
 * gets nothing, see nccl_pair.c; so of a static NCCL they say nothing.
 */
#include "config.h"

#include <string.h>

#include "nccl/nccl_profiler.h"

/* Where a version has what is read of a collective: bytes from the start of the event. */
struct event_layout {
	uint8_t function, count, root, type, nchannels, algorithm, protocol;
	bool is_named;
};

enum { AT_TYPE = 0, AT_RANK = 16 }; /* in all of them */

static const struct event_layout layouts[] = {
	[1] = { .function = 48,
		.count = 72,
		.root = 80,
		.type = 84,
		.nchannels = 104,
		.algorithm = 106,
		.protocol = 107,
		.is_named = false },
	[2] = { .function = 48,
		.count = 72,
		.root = 80,
		.type = 88,
		.nchannels = 104,
		.algorithm = 112,
		.protocol = 120,
		.is_named = true },
	[3] = { .function = 48,
		.count = 72,
		.root = 80,
		.type = 88,
		.nchannels = 96,
		.algorithm = 104,
		.protocol = 112,
		.is_named = true },
};

/* The names of version 1's numbers: those of NCCL 2.23. */
static const char *const functions[] = {
	"Broadcast",
	"Reduce",
	"AllGather",
	"ReduceScatter",
	"AllReduce",
};
#define NAME(id, text) text,
static const char *const algorithms[] = { TRACE_ALGORITHMS(NAME) };
static const char *const protocols[] = { TRACE_PROTOCOLS(NAME) };
#undef NAME

#define NAMES(names) (names), sizeof(names) / sizeof(*(names))

static const char *name_at(const uint8_t *at, bool is_named, const char *const *names, size_t n)
{
	const char *name;

	if (!is_named)
		return *at < n ? names[*at] : NULL;
	memcpy(&name, at, sizeof(name));
	return name;
}

static int start(struct context *context, void **handle, const uint8_t *old, unsigned version)
{
	const struct event_layout *at = &layouts[version];
	struct descriptor event = { .type = old[AT_TYPE] };

	memcpy(&event.rank, old + AT_RANK, sizeof(event.rank));
	if (event.type == EVENT_COLL) {
		event.coll.function = name_at(old + at->function, at->is_named, NAMES(functions));
		memcpy(&event.coll.count, old + at->count, sizeof(event.coll.count));
		memcpy(&event.coll.root, old + at->root, sizeof(event.coll.root));
		event.coll.type = name_at(old + at->type, at->is_named, NAMES(tacho_nccl_types));
		event.coll.nchannels = old[at->nchannels];
		event.coll.algorithm = name_at(old + at->algorithm, at->is_named,
			NAMES(algorithms));
		event.coll.protocol = name_at(old + at->protocol, at->is_named, NAMES(protocols));
	}
	return nccl_plugin_start(context, handle, old[AT_TYPE], &event, false);
}

static int init(void **context, int *mask)
{
	return nccl_plugin_init(context, mask, 0, -1, -1);
}

#define OLD_PLUGIN(version)                                                                        \
	static int start_##version(struct context *context, void **handle, const uint8_t *event)   \
	{                                                                                          \
		return start(context, handle, event, version);                                     \
	}                                                                                          \
	PLUGIN(version, init, start_##version)

OLD_PLUGIN(1)
OLD_PLUGIN(2)
OLD_PLUGIN(3)
