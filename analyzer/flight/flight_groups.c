/* flight_groups.c - from dumps to groups: members, the collectives that each has begun, where it is stuck. */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "flight/flight_job.h"

/* The rank is the number at the end of the file's name, before its suffixes, or a member of the dump. */
static int64_t rank_of(const char *path, const struct value *root)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strchr(name, '.'), *end = dot ? dot : name + strlen(name), *at = end;
	int64_t rank = value_integer(value_get(root, "rank"), -1);

	if (rank >= 0)
		return rank;
	while (at > name && isdigit((unsigned char)at[-1]))
		at--;
	return at < end && end - at < 10 ? strtol(at, NULL, 10) : -1;
}

int flight_dump_read(struct flight_job *job, const char *path, const unsigned char *data,
	size_t size)
{
	struct flight_dump dump = { .path = path }, *at;

	dump.root = size && data[0] == 0x80 ? pickle_read(&dump.values, data, size)
					    : json_read(&dump.values, data, size);
	if (!dump.root || !value_get(dump.root, "entries")) {
		log_error("%s is no dump of the Flight Recorder, or damaged: %s", path,
			dump.root ? "it has no entries" : dump.values.wrong);
		values_free(&dump.values);
		return -1;
	}
	dump.rank = rank_of(path, dump.root);
	at = ARRAY_ADD(&job->dumps);
	if (dump.rank < 0 || !at) {
		log_error("%s: its rank is not known: name dumps as the Flight Recorder does, with "
			  "the rank at the end",
			path);
		values_free(&dump.values);
		job->dumps.n -= at != NULL;
		return -1;
	}
	*at = dump;
	return 0;
}

static int compare_dumps(const void *a, const void *b)
{
	const struct flight_dump *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static uint32_t dump_of(const struct flight_job *job, int64_t rank)
{
	size_t at = LOWER_BOUND(i, 0, job->dumps.n, job->dumps.at[i].rank < rank);

	return at < job->dumps.n && job->dumps.at[at].rank == rank ? (uint32_t)at : UINT32_MAX;
}

static struct flight_member *member_get(const struct flight_job *job, struct flight_group *group,
	int64_t rank)
{
	struct flight_member *member;

	for (size_t i = 0; i < group->members.n; i++)
		if (group->members.at[i].rank == rank)
			return &group->members.at[i];
	member = ARRAY_ADD(&group->members);
	if (member)
		*member = (struct flight_member){ .rank = rank, .dump = dump_of(job, rank) };
	return member;
}

/* All of "[0, 1, 2]". */
static int members_add(const struct flight_job *job, struct flight_group *group)
{
	char *end;

	for (const char *at = group->ranks; *(at += strcspn(at, "0123456789")); at = end)
		if (!member_get(job, group, strtol(at, &end, 10)))
			return -1;
	return 0;
}

static const char *text_or(const struct value *value, const char *otherwise)
{
	const char *text = value_string(value);

	return text ? text : otherwise;
}

/* The group that an entry names, with the ranks that the dump has for it. */
static struct flight_group *group_get(struct flight_job *job, const struct value *root,
	const struct value *entry)
{
	const struct value *pair = value_get(entry, "process_group");
	const char *name = text_or(value_at(pair, 0), text_or(value_get(entry, "pg_name"), "0"));
	const char *description = text_or(value_at(pair, 1), "");
	const char *ranks = text_or(value_get(value_get(value_get(root, "pg_config"), name),
					    "ranks"),
		"");
	struct flight_group *group;

	for (size_t i = 0; i < job->groups.n; i++)
		if (strcmp(job->groups.at[i].name, name) == 0 &&
			strcmp(job->groups.at[i].ranks, ranks) == 0)
			return &job->groups.at[i];
	group = ARRAY_ADD(&job->groups);
	if (!group)
		return NULL;
	*group = (struct flight_group){ .name = name, .description = description, .ranks = ranks };
	return members_add(job, group) < 0 ? NULL : group;
}

/* Version 2.1 and older: an entry has only seq_id. */
static int64_t number_of(const struct value *entry, bool is_message)
{
	int64_t seq = value_integer(value_get(entry,
					    is_message ? "p2p_seq_id" : "collective_seq_id"),
		-1);

	return seq >= 0 ? seq : value_integer(value_get(entry, "seq_id"), 0);
}

static int entry_take(struct flight_job *job, const struct flight_dump *dump,
	const struct value *entry)
{
	struct flight_group *group = group_get(job, dump->root, entry);
	struct flight_member *member = group ? member_get(job, group, dump->rank) : NULL;
	struct flight_op *op = member ? ARRAY_ADD(&member->ops) : NULL;
	const char *state = text_or(value_get(entry, "state"), "");

	if (!op)
		return -1;
	*op = (struct flight_op){ .name = text_or(value_get(entry, "profiling_name"), "collective"),
		.completed = strcmp(state, "completed") == 0,
		.started = strcmp(state, "started") == 0,
		.entry = entry };
	op->is_message = value_integer(value_get(entry, "is_p2p"), 0) ||
		strstr(op->name, ":send ") || strstr(op->name, ":recv ");
	op->seq = number_of(entry, op->is_message);
	if (op->is_message)
		return 0;
	member->begun = op->seq > member->begun ? op->seq : member->begun;
	if (!op->completed && (!member->stuck || op->seq < member->stuck))
		member->stuck = op->seq;
	return 0;
}

int flight_groups(struct flight_job *job)
{
	qsort(job->dumps.at, job->dumps.n, sizeof(*job->dumps.at), compare_dumps);
	for (size_t i = 0; i < job->dumps.n; i++) {
		const struct value *entries = value_get(job->dumps.at[i].root, "entries");

		if (i && job->dumps.at[i].rank == job->dumps.at[i - 1].rank) {
			log_error("%s and %s are both of rank %" PRId64 ": give one dump a rank",
				job->dumps.at[i - 1].path, job->dumps.at[i].path,
				job->dumps.at[i].rank);
			return -1;
		}
		for (size_t k = 0; value_at(entries, k); k++)
			if (entry_take(job, &job->dumps.at[i], value_at(entries, k)) < 0) {
				log_error("out of memory");
				return -1;
			}
	}
	return 0;
}

const struct flight_op *flight_op(const struct flight_member *member, int64_t seq)
{
	for (size_t i = 0; i < member->ops.n; i++)
		if (!member->ops.at[i].is_message && member->ops.at[i].seq == seq)
			return &member->ops.at[i];
	return NULL;
}

void flight_job_free(struct flight_job *job)
{
	for (size_t i = 0; i < job->groups.n; i++) {
		for (size_t k = 0; k < job->groups.at[i].members.n; k++)
			free(job->groups.at[i].members.at[k].ops.at);
		free(job->groups.at[i].members.at);
	}
	for (size_t i = 0; i < job->dumps.n; i++)
		values_free(&job->dumps.at[i].values);
	free(job->groups.at);
	free(job->dumps.at);
}
