/*
 * cmd_dump.c - tacho dump: events as text, a line each, location by location.
 * Reads through the same bounded cursors as analyze, in a child process too.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cmd.h"
#include "base/guard.h"
#include "base/log.h"
#include "otf2/otf2_in.h"
#include "base/text.h"
#include "base/rundir.h"

enum { SLICE = 1 << 12 };

struct dump {
	const char *run, *anchor, *location, *region;
	int64_t from, to, limit, printed;
	struct archive archive;
	const struct in_location *at;
	uint64_t inside; /* depth of the wanted region */
};

/* Fields of struct event by letter, for the table of kinds. */
#define NUMBERS(NUMBER)                                                                            \
	NUMBER('p', "peer", event->peer)                                                           \
	NUMBER('t', "tag", event->tag)                                                             \
	NUMBER('o', "op", event->tag)                                                              \
	NUMBER('m', "mode", event->tag)                                                            \
	NUMBER('c', "comm", event->ref)                                                            \
	NUMBER('h', "handle", event->ref)                                                          \
	NUMBER('q', "request", event->request)                                                     \
	NUMBER('b', "bytes", event->bytes)                                                         \
	NUMBER('v', "value", event->bytes)                                                         \
	NUMBER('r', "received", event->received)                                                   \
	NUMBER('w', "window", event->ref)                                                          \
	NUMBER('P', "put", event->tag)                                                             \
	NUMBER('e', "on", event->bytes)                                                            \
	NUMBER('i', "parameter", event->ref)

static const struct {
	const char *name, *fields;
} kinds[] = {
	[EVENT_ENTER] = { "enter", "R" },
	[EVENT_LEAVE] = { "leave", "R" },
	[EVENT_SEND] = { "send", "pctb" },
	[EVENT_ISEND] = { "isend", "pctbq" },
	[EVENT_ISEND_COMPLETE] = { "isend_complete", "q" },
	[EVENT_RECV] = { "recv", "pctb" },
	[EVENT_IRECV_REQUEST] = { "irecv_request", "q" },
	[EVENT_IRECV] = { "irecv", "pctbq" },
	[EVENT_REQUEST_TEST] = { "request_test", "q" },
	[EVENT_REQUEST_CANCELLED] = { "request_cancelled", "q" },
	[EVENT_COLLECTIVE_BEGIN] = { "collective_begin", "" },
	[EVENT_COLLECTIVE_END] = { "collective_end", "ocpbr" },
	[EVENT_COLLECTIVE_REQUEST] = { "collective_request", "q" },
	[EVENT_COLLECTIVE_COMPLETE] = { "collective_complete", "ocpbrq" },
	[EVENT_IO_CREATE] = { "io_create", "hm" },
	[EVENT_IO_DESTROY] = { "io_destroy", "h" },
	[EVENT_IO_SEEK] = { "io_seek", "hb" },
	[EVENT_IO_BEGIN] = { "io_begin", "hmbq" },
	[EVENT_IO_COMPLETE] = { "io_complete", "hbq" },
	[EVENT_RMA_BEGIN] = { "rma_begin", "wpbqP" },
	[EVENT_RMA_ATOMIC] = { "rma_atomic", "wpbrq" },
	[EVENT_RMA_END] = { "rma_end", "wq" },
	[EVENT_MEASUREMENT] = { "measurement", "e" },
	[EVENT_PARAMETER] = { "parameter", "iv" },
	[EVENT_METRIC] = { "metric", "V" },
	[EVENT_OTHER] = { "other", "" },
};

static void quoted_print(const char *name)
{
	char *clean = text_clean(name, strlen(name));

	putchar('"');
	for (const char *c = clean ? clean : "?"; *c; c++) {
		if (*c == '"' || *c == '\\')
			putchar('\\');
		putchar(*c);
	}
	putchar('"');
	free(clean);
}

static const char *region_name(const struct archive *archive, uint64_t ref)
{
	uint32_t at = idmap_find(&archive->regions.map, ref);

	return at == IDMAP_NONE ? "(unknown)" : archive->regions.at[at].name;
}

static void value_print(OTF2_Type type, OTF2_AttributeValue value, const struct archive *archive)
{
	uint32_t at;

	switch (type) {
	case OTF2_TYPE_UINT8: printf("%u", value.uint8); break;
	case OTF2_TYPE_UINT16: printf("%u", value.uint16); break;
	case OTF2_TYPE_UINT32: printf("%" PRIu32, value.uint32); break;
	case OTF2_TYPE_UINT64: printf("%" PRIu64, value.uint64); break;
	case OTF2_TYPE_INT32: printf("%" PRId32, value.int32); break;
	case OTF2_TYPE_INT64: printf("%" PRId64, value.int64); break;
	case OTF2_TYPE_DOUBLE: printf("%g", value.float64); break;
	case OTF2_TYPE_STRING:
		at = idmap_find(&archive->strings.map, value.stringRef);
		quoted_print(at == IDMAP_NONE ? "" : archive->strings.at[at]);
		break;
	default: putchar('?');
	}
}

static void attributes_print(const struct archive *archive, const struct event *event)
{
	struct in_value value;

	for (uint32_t i = 0; event_attribute(event, i, &value); i++) {
		uint32_t at = idmap_find(&archive->attributes.map, value.ref);

		putchar(' ');
		quoted_print(at == IDMAP_NONE ? "?" : archive->attributes.at[at].name);
		putchar('=');
		value_print(value.type, value.value, archive);
	}
}

static void metric_print(const struct archive *archive, const struct event *event)
{
	uint32_t at = idmap_find(&archive->metrics.map, event->ref);
	const struct in_metric *metric = at == IDMAP_NONE ? NULL : &archive->metrics.at[at];

	for (uint32_t i = 0; i < event->tag; i++) {
		OTF2_AttributeValue value = { .uint64 = event->values[i].unsigned_int };
		uint32_t member = metric && i < metric->n ? metric->members[i] : IDMAP_NONE;

		putchar(' ');
		quoted_print(member == IDMAP_NONE ? "?" : archive->metric_members.at[member].name);
		putchar('=');
		value_print(event->types[i], value, archive);
	}
}

static void field_print(const struct archive *archive, char field, const struct event *event)
{
	if (field == 'R') {
		putchar(' ');
		quoted_print(region_name(archive, event->ref));
	} else if (field == 'V') {
		metric_print(archive, event);
	}
#define NUMBER(letter, name, value)                                                                \
	if (field == (letter))                                                                     \
		printf(" " name "=%" PRIu64, (uint64_t)(value));
	NUMBERS(NUMBER)
#undef NUMBER
}

static void event_print(struct dump *dump, const struct event *event)
{
	printf("%" PRId64 " %" PRIu64 " %s", event->t, dump->at->ref, kinds[event->kind].name);
	for (const char *field = kinds[event->kind].fields; *field; field++)
		field_print(&dump->archive, *field, event);
	attributes_print(&dump->archive, event);
	putchar('\n');
	dump->printed++;
}

/* Whether the event is the wanted region's or is inside of it. */
static bool in_region(struct dump *dump, const struct event *event)
{
	bool is = dump->region && (event->kind == EVENT_ENTER || event->kind == EVENT_LEAVE) &&
		strcmp(region_name(&dump->archive, event->ref), dump->region) == 0;
	bool within = dump->inside > 0;

	if (is && event->kind == EVENT_ENTER)
		dump->inside++;
	else if (is && within)
		dump->inside--;
	return !dump->region || is || within;
}

static bool take(void *user, const struct event *event)
{
	struct dump *dump = user;

	if (in_region(dump, event) && event->t >= dump->from && event->t <= dump->to)
		event_print(dump, event);
	return dump->printed < dump->limit && event->t <= dump->to && !ferror(stdout);
}

static bool location_wanted(const struct dump *dump, const struct in_location *location)
{
	char number[32];

	snprintf(number, sizeof(number), "%" PRIu64, location->ref);
	return !dump->location || strcmp(dump->location, number) == 0 ||
		strcmp(dump->location, location->name) == 0 ||
		(location->group < dump->archive.groups.n &&
			strcmp(dump->location, dump->archive.groups.at[location->group].name) == 0);
}

/* Prints a location. True: another one may follow. */
static bool location_dump(struct dump *dump, const struct in_location *location)
{
	struct cursor cursor;

	dump->at = location;
	dump->inside = 0;
	cursor_open(&cursor, &dump->archive, location, take, dump);
	do
		cursor_run(&cursor, SLICE);
	while (!cursor.ended && !cursor.stopped);
	if (cursor.damage)
		log_warn("location %" PRIu64 " (%s) is damaged: %s", location->ref, location->name,
			cursor.damage);
	cursor_close(&cursor);
	return dump->printed < dump->limit && !ferror(stdout);
}

static bool region_defined(const struct dump *dump)
{
	for (size_t i = 0; i < dump->archive.regions.n; i++)
		if (strcmp(dump->archive.regions.at[i].name, dump->region) == 0)
			return true;
	return false;
}

static int dump_archive(void *given)
{
	struct dump *dump = given;
	struct archive *archive = &dump->archive;
	size_t matching = 0;
	int ret = -1;

	if (archive_open(archive, dump->anchor, NULL, 0) < 0 || archive_open_events(archive) < 0)
		goto out;
	for (size_t i = 0; i < archive->locations.n; i++)
		matching += location_wanted(dump, &archive->locations.at[i]);
	if (dump->location && !matching) {
		log_error("%s has no location or process %s: tacho info names the processes",
			dump->run, dump->location);
		goto out;
	}
	if (dump->region && !region_defined(dump)) {
		log_error("%s has no region %s", dump->run, dump->region);
		goto out;
	}
	for (size_t i = 0; i < archive->locations.n; i++)
		if (location_wanted(dump, &archive->locations.at[i]) &&
			!location_dump(dump, &archive->locations.at[i]))
			break;
	ret = fflush(stdout) == 0 ? 0 : -1;
	if (ret < 0)
		log_error("cannot write the events: %s", strerror(errno));
out:
	archive_close(archive);
	return ret;
}

static int dump_run(struct dump *dump)
{
	struct stat st;
	bool is_run = stat(dump->run, &st) == 0 && S_ISDIR(st.st_mode);
	char *anchor = is_run ? path_join(dump->run, RUNDIR_ANCHOR) : strdup(dump->run);
	struct guard_end end = { .status = -1 };
	struct guard at;

	dump->anchor = anchor;
	if (anchor && !run_lacks(dump->run, RUNDIR_ANCHOR)) {
		end = guard_run(dump_archive, dump, 0, &at);
		if (end.ended)
			log_error("reading %s %s: the archive is damaged", anchor, end.how);
	}
	free(anchor);
	return end.status < 0 ? EXIT_FAILED : EXIT_OK;
}

static struct dump wanted = { .from = INT64_MIN, .to = INT64_MAX, .limit = INT64_MAX };

static const struct option option_table[] = {
	{ "location", 0, "L",
		"only this location, by number or name, or all locations of a process: 'rank 2'",
		.text = &wanted.location },
	{ "region", 0, "NAME", "only this region and the events inside it",
		.text = &wanted.region },
	{ "from", 0, "TIME",
		"only events from TIME on: 1.5s, 20ms, 3us or 7ns since the start of the run",
		.time = &wanted.from },
	{ "to", 0, "TIME", "only events up to TIME", .time = &wanted.to },
	{ "limit", 0, "N", "print at most N lines", .number = &wanted.limit,
		.wanted = "a number of lines" },
	{ 0 }
};

static int dump_print(int argc, char **argv)
{
	(void)argc;
	if (wanted.from > wanted.to)
		return usage_error(&command_dump, "--from is later than --to");
	wanted.run = argv[0];
	return wanted.limit ? dump_run(&wanted) : EXIT_OK;
}

const struct command command_dump = {
	.name = "dump",
	.summary = "Print the events of a run, or of any OTF2 archive, as text",
	.arguments = "RUN|ARCHIVE.otf2",
	.least = 1,
	.most = 1,
	.about = "One line per event, location by location: nanoseconds since time 0, location, "
		 "kind,\n"
		 "attributes. Names are quoted; control characters are shown as pictures.\n",
	.options = option_table,
	.run = dump_print,
};
