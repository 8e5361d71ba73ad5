/*
 * where_doing.c - what a rank does, in words: the call that it is in and since when, at which line of
 * Python, in which step; how it ended; and what its child does that it waits for.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge/walk/walk_regions.h"
#include "merge/where/where.h"
#include "model/python_file.h"

/* Two heartbeats: who ended so long before the last one did so by itself. */
static const int64_t beats_ns = 200000000;

static double seconds(int64_t ns)
{
	return (double)(ns > 0 ? ns : 0) / 1e9;
}

bool where_is_gone(const struct where *where, const struct where_rank *rank, int64_t end)
{
	const struct process *p = where_process(where, rank);

	return !p->spool || p->end == PROCESS_FINISHED ||
		(p->end == PROCESS_KILLED && end - rank->now > beats_ns);
}

/* The file that a call is about, "" none. */
static const char *path_of(const struct process *p, const struct where_call *call)
{
	if (region_class(call->region) != REGION_CLASS_IO || !call->arg ||
		call->arg >= p->spool->handles.n || !p->spool->handles.at[call->arg].path)
		return "";
	return p->spool->handles.at[call->arg].path;
}

/*
 * Where a thread was seen last in Python: the innermost place in the user's own files, else the
 * innermost of all. Code 0: not known.
 */
static struct spool_def_python_stack python_place(const struct spool_process *p,
	const struct where_thread *thread)
{
	uint32_t number = thread->location->thread->head.number, steps = p->python_stacks.n, id;
	struct spool_def_python_stack innermost = { 0 };

	if (!p->python || number >= SPOOL_PYTHON_LAST)
		return innermost;
	for (id = p->python->last[number]; id && id < p->python_stacks.n && steps; steps--) {
		struct spool_def_python_stack place = p->python_stacks.at[id];

		if (!place.code || place.code >= p->python_codes.n ||
			!p->python_codes.at[place.code].file)
			break;
		if (!innermost.code)
			innermost = place;
		if (!python_file_is_library(p->python_codes.at[place.code].file))
			return place;
		id = place.parent;
	}
	return innermost;
}

void where_python_print(FILE *out, const struct where *where, const struct where_rank *rank)
{
	const struct process *p = where_process(where, rank);
	struct spool_def_python_stack place = { 0 };
	const struct spool_python_code *code;
	const char *base;

	if (p->spool && rank->thread)
		place = python_place(p->spool, rank->thread);
	if (!place.code)
		return;
	code = &p->spool->python_codes.at[place.code];
	base = strrchr(code->file, '/');
	fprintf(out, ", at %s() in %s", code->function, base ? base + 1 : code->file);
	if (place.line)
		fprintf(out, ":%" PRIu32, place.line);
}

#define AGE_MARK '\x1f' /* on both sides of a number of ns */

void where_age_print(FILE *out, const struct where *where, int64_t ns)
{
	if (where->marks_ages)
		fprintf(out, "%c%" PRId64 "%c", AGE_MARK, ns, AGE_MARK);
	else
		fprintf(out, "%.1f s", seconds(ns));
}

char *where_ages_fill(const char *text, int64_t later)
{
	char *filled = NULL;
	size_t size;
	FILE *out = open_memstream(&filled, &size);

	if (!out)
		return NULL;
	while (*text) {
		char *end;
		int64_t ns = *text == AGE_MARK ? strtoll(text + 1, &end, 10) : 0;

		if (*text == AGE_MARK && *end == AGE_MARK) {
			fprintf(out, "%.1f s", seconds(ns + later));
			text = end + 1;
		} else {
			fputc(*text++, out);
		}
	}
	if (fclose(out) == 0)
		return filled;
	free(filled);
	return NULL;
}

static void call_print(FILE *out, const struct where *where, const struct where_rank *rank,
	int64_t end);

/* In a call that waits for something; of I/O for what another process writes. */
static bool is_waiting(const struct process *p, const struct where_rank *rank)
{
	const char *path = rank->call ? path_of(p, rank->call) : "";

	if (!rank->call)
		return false;
	return region_class(rank->call->region) == REGION_CLASS_WAIT ||
		strncmp(path, "pipe:", 5) == 0 || strncmp(path, "socket:", 7) == 0;
}

/* Not waiting for work: it computes, reads or writes files, sleeps, or is in the user's own Python. */
static bool is_at_work(const struct process *p, const struct where_rank *child)
{
	struct spool_def_python_stack place = { 0 };

	if (!is_waiting(p, child) || strstr(region_infos[child->call->region].name, "sleep"))
		return true;
	if (child->thread)
		place = python_place(p->spool, child->thread);
	return place.code && !python_file_is_library(p->spool->python_codes.at[place.code].file);
}

static bool descends(const struct merge *m, uint32_t process, uint32_t from)
{
	for (uint32_t n = m->nprocesses; n && process != NONE && process != from; n--)
		process = m->processes[process].parent;
	return process == from;
}

/* Of a rank that waits outside of communication: its child that has been at one thing for longest. */
static const struct where_rank *child_find(const struct where *where, const struct where_rank *rank,
	int64_t end)
{
	const struct where_rank *longest = NULL;

	if (rank->rank < 0 || !is_waiting(where_process(where, rank), rank))
		return NULL;
	for (uint32_t i = 0; i < where->nchildren; i++) {
		const struct where_rank *child = &where->children[i];
		const struct process *p = where_process(where, child);

		if (!p->spool || !child->thread || where_is_gone(where, child, end) ||
			!descends(where->merge, child->process, rank->process) ||
			child->now - child->since < WHERE_LEAST || !is_at_work(p, child))
			continue;
		if (!longest || child->since < longest->since)
			longest = child;
	}
	return longest;
}

/* ": its child 4711 has been in sleep for 12.0 s, at fetch() in data.py:9". */
static void child_print(FILE *out, const struct where *where, const struct where_rank *rank,
	int64_t end)
{
	const struct where_rank *child = child_find(where, rank, end);
	const struct process *p = child ? where_process(where, child) : NULL;
	const char *name = p ? strstr(p->name, "child ") : NULL;

	if (!child)
		return;
	fprintf(out, ": its %s ", name ? name : p->name);
	call_print(out, where, child, end);
}

void where_doing_print(FILE *out, const struct where *where, const struct where_rank *rank,
	int64_t end)
{
	call_print(out, where, rank, end);
	if (rank->has_step)
		fprintf(out, " in step %" PRIu64, rank->step);
	if (rank->phase)
		fprintf(out, " of %s", rank->phase);
	child_print(out, where, rank, end);
}

static void call_print(FILE *out, const struct where *where, const struct where_rank *rank,
	int64_t end)
{
	const struct process *p = where_process(where, rank);
	char text[64];
	const char *path;

	if (!p->spool || !rank->nthreads) {
		fputs(where->merge->is_part ? "is not seen from here" : "left no record", out);
	} else if (p->end == PROCESS_FINISHED) {
		fprintf(out, "ended at %.3f s", seconds(rank->now));
		if (p->spool->end.status)
			fprintf(out, " with status %d", p->spool->end.status & 0xff);
	} else if (where_is_gone(where, rank, end)) {
		fprintf(out, "%s%s at %.3f s", p->spool->ended ? "" : "was ",
			process_end_text(p, text, sizeof(text)), seconds(rank->now));
	} else if (!rank->call) {
		fputs("has computed for ", out);
		where_age_print(out, where, rank->now - rank->since);
	} else {
		path = path_of(p, rank->call);
		fprintf(out, "has been in %s%s%s for ", region_infos[rank->call->region].name,
			*path ? " of " : "", path);
		where_age_print(out, where, rank->now - rank->since);
	}
	if (p->end != PROCESS_FINISHED)
		where_python_print(out, where, rank);
}

char *where_doing(const struct where *where, const struct where_rank *rank)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	where_doing_print(out, where, rank, where->end);
	return fclose(out) == 0 ? text : NULL;
}
