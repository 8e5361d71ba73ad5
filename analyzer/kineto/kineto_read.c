/* kineto_read.c - one file of torch.profiler: its members besides the events. */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "kineto/kineto_event.h"
#include "kineto/kineto_source.h"

static int fact_add(struct kineto_rank *rank, const char *key, const struct json_in *in)
{
	struct kineto_fact *fact = ARRAY_ADD(&rank->facts);
	char text[256];

	json_in_copy(in, text, sizeof(text));
	if (!fact)
		return -1;
	*fact = (struct kineto_fact){ key, strdup(text) };
	return fact->value ? 0 : -1;
}

/* The present piece as a number of at least `least`; `to` stays where it is none. */
static void number_take(const struct json_in *in, int64_t least, int64_t *to)
{
	int64_t value;

	if (json_in_integer(in, 0, &value) && value >= least)
		*to = value;
}

/* What becomes of members of the file and of its part on the job, as properties of the process. */
static const char *const fact_keys[][2] = {
	{ "backend", "env.torch_backend" },
	{ "nccl_version", "env.nccl_version" },
	{ "world_size", "env.world_size" },
	{ "cuda_runtime_version", "env.cuda_runtime_version" },
	{ "cuda_driver_version", "env.cuda_driver_version" },
	{ "hip_runtime_version", "env.hip_runtime_version" },
	{ "cupti_version", "env.cupti_version" },
};

/* Reads one member; the reader is at its key. False: not JSON, or without memory. */
static bool member_take(struct kineto_rank *rank, struct json_in *in)
{
	const char *fact = NULL;
	enum {
		OTHER,
		RANK,
		WORLD,
		BASE
	} kind = json_in_is(in, "rank")			? RANK
		: json_in_is(in, "world_size")		? WORLD
		: json_in_is(in, "baseTimeNanoseconds") ? BASE
							: OTHER;
	enum json_piece piece;
	unsigned depth = in->depth;

	for (size_t i = 0; i < sizeof(fact_keys) / sizeof(*fact_keys); i++)
		if (json_in_is(in, fact_keys[i][0]))
			fact = fact_keys[i][1];
	if (!fact && kind == OTHER)
		return json_in_skip(in);
	piece = json_in_next(in);
	if (piece == JSON_IN_NUMBER || piece == JSON_IN_TEXT) {
		number_take(in, 0,
			kind == RANK		? &rank->rank
				: kind == WORLD ? &rank->world
				: kind == BASE	? &rank->base
						: &(int64_t){ 0 });
		return !fact || fact_add(rank, fact, in) == 0;
	}
	while (piece > JSON_IN_BAD && in->depth > depth)
		piece = json_in_next(in);
	return piece > JSON_IN_BAD;
}

/* Reads an object as if its members were top-level ones of the file. */
static bool members_take(struct kineto_rank *rank, struct json_in *in)
{
	enum json_piece piece = json_in_next(in);

	if (piece != JSON_IN_OBJECT)
		return piece == JSON_IN_WORD || piece == JSON_IN_TEXT || piece == JSON_IN_NUMBER;
	while ((piece = json_in_next(in)) == JSON_IN_KEY)
		if (!member_take(rank, in))
			return false;
	return piece == JSON_IN_OBJECT_END;
}

/* { "id": 0, "name": "NVIDIA A100", … } */
static bool device_take(struct kineto_rank *rank, struct json_in *in)
{
	struct kineto_device *device = ARRAY_ADD(&rank->devices);
	enum json_piece piece;
	char name[256] = "";

	if (!device)
		return false;
	*device = (struct kineto_device){ -1, NULL, NULL };
	while ((piece = json_in_next(in)) == JSON_IN_KEY) {
		bool is_id = json_in_is(in, "id"), is_name = json_in_is(in, "name");

		if (!is_id && !is_name) {
			if (!json_in_skip(in))
				return false;
			continue;
		}
		piece = json_in_next(in);
		if (piece != JSON_IN_TEXT && piece != JSON_IN_NUMBER)
			return false;
		if (is_id)
			number_take(in, 0, &device->id);
		else
			json_in_copy(in, name, sizeof(name));
	}
	device->name = strdup(name);
	return piece == JSON_IN_OBJECT_END && device->name;
}

/* The elements of an array, objects, each to `take`. */
static bool array_take(struct kineto_rank *rank, struct json_in *in,
	bool (*take)(struct kineto_rank *rank, struct json_in *in))
{
	enum json_piece piece;

	while ((piece = json_in_next(in)) == JSON_IN_OBJECT)
		if (!take(rank, in))
			return false;
	if (piece != JSON_IN_ARRAY_END && !in->wrong)
		in->wrong = "an array in it has other elements than a trace's";
	return piece == JSON_IN_ARRAY_END;
}

static bool event_take(struct kineto_rank *rank, struct json_in *in)
{
	struct kineto_raw raw;

	return kineto_raw_read(in, &raw) && kineto_take(rank, &raw) == 0;
}

static bool events_take(struct kineto_rank *rank, struct json_in *in)
{
	rank->has_events = true;
	return array_take(rank, in, event_take);
}

static bool file_take(struct kineto_rank *rank, struct json_in *in)
{
	enum json_piece piece = json_in_next(in);

	if (piece == JSON_IN_ARRAY) /* of events alone */
		return events_take(rank, in) && json_in_next(in) == JSON_IN_END;
	if (piece != JSON_IN_OBJECT)
		return piece > JSON_IN_BAD;
	while ((piece = json_in_next(in)) == JSON_IN_KEY) {
		bool is_events = json_in_is(in, "traceEvents");

		if (is_events || json_in_is(in, "deviceProperties")) {
			if (json_in_next(in) != JSON_IN_ARRAY)
				return in->wrong = in->wrong ? in->wrong : "it is no trace", false;
			if (!(is_events ? events_take(rank, in)
					: array_take(rank, in, device_take)))
				return false;
		} else if (json_in_is(in, "distributedInfo") ? !members_take(rank, in)
							     : !member_take(rank, in)) {
			return false;
		}
	}
	return piece == JSON_IN_OBJECT_END && json_in_next(in) == JSON_IN_END;
}

void kineto_rank_of_name(struct kineto_rank *rank)
{
	const char *slash = strrchr(rank->path, '/'), *at = slash ? slash + 1 : rank->path;

	for (; rank->rank < 0 && (at = strcasestr(at, "rank")); at++) {
		const char *digits = at + 4 + (at[4] == '_' || at[4] == '-' || at[4] == '.');

		if (isdigit((unsigned char)*digits))
			rank->rank = strtol(digits, NULL, 10) & INT32_MAX;
	}
}

/* tensorboard_trace_handler() calls it HOST_PID.TIME.pt.trace.json; others have rank3 in the name. */
static int name_read(struct kineto_rank *rank)
{
	const char *slash = strrchr(rank->path, '/'), *name = slash ? slash + 1 : rank->path;
	const char *end = strstr(name, ".pt.trace.json"), *under = end;
	int n = 0;

	while (under && under > name && *under != '_')
		under--;
	if (under && under > name && sscanf(under, "_%*u.%*u%n", &n) == 0 && under + n == end) {
		rank->host = strndup(name, (size_t)(under - name));
		if (!rank->host)
			return -1;
	}
	kineto_rank_of_name(rank);
	return 0;
}

static int done(struct kineto_rank *rank, const struct json_in *in, bool is_whole)
{
	if (!is_whole) {
		kineto_wrong(rank,
			"%s is no trace of torch.profiler, or damaged: %s (byte %" PRIu64 ")",
			rank->path, in->wrong ? in->wrong : "out of memory, or it is not JSON",
			json_in_place(in));
		return -1;
	}
	if (!rank->has_events || !rank->nused) {
		kineto_wrong(rank,
			"%s is no trace of torch.profiler: it has no event of a kind that "
			"torch.profiler writes",
			rank->path);
		return -1;
	}
	if (rank->nbroken)
		log_warn("%s: %" PRIu64 " of %" PRIu64 " events lack a name, time, thread or "
			 "stream: they are left out",
			rank->path, rank->nbroken, rank->nused + rank->nbroken);
	return name_read(rank);
}

void kineto_rank_init(struct kineto_rank *rank)
{
	*rank = (struct kineto_rank){ .path = rank->path,
		.process = rank->process,
		.is_export = rank->is_export,
		.is_alone = rank->is_alone,
		.rank = -1,
		.pid = -1,
		.first = INT64_MAX,
		.last = INT64_MIN,
		.residual = -1 };
}

int kineto_read(struct kineto_rank *rank)
{
	struct kineto_source *source = kineto_source_open(rank->path);
	struct json_in in = { .more = kineto_source_more, .source = source };
	int ret = -1;

	if (source)
		ret = done(rank, &in, file_take(rank, &in));
	json_in_free(&in);
	kineto_source_close(source);
	return ret;
}

void kineto_wrong(struct kineto_rank *rank, const char *format, ...)
{
	va_list arguments;

	free(rank->wrong);
	va_start(arguments, format);
	if (vasprintf(&rank->wrong, format, arguments) < 0)
		rank->wrong = NULL;
	va_end(arguments);
}

void kineto_rank_free(struct kineto_rank *rank)
{
	for (size_t i = 0; i < rank->names.n; i++)
		free(rank->names.at[i].text);
	for (size_t i = 0; i < rank->tracks.n; i++) {
		free(rank->tracks.at[i].events.at);
		free(rank->tracks.at[i].nevents);
	}
	for (size_t i = 0; i < rank->groups.n; i++) {
		free(rank->groups.at[i].name);
		free(rank->groups.at[i].description);
		free(rank->groups.at[i].ranks);
	}
	for (size_t i = 0; i < rank->devices.n; i++) {
		free(rank->devices.at[i].name);
		free(rank->devices.at[i].uuid);
	}
	for (size_t i = 0; i < rank->facts.n; i++)
		free(rank->facts.at[i].value);
	idmap_free(&rank->name_numbers);
	idmap_free(&rank->target_numbers);
	free(rank->names.at);
	free(rank->tracks.at);
	free(rank->details.at);
	free(rank->groups.at);
	free(rank->targets.at);
	free(rank->devices.at);
	free(rank->facts.at);
	free(rank->host);
	free(rank->wrong);
	*rank = (struct kineto_rank){ .path = rank->path };
}
