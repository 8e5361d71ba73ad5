/*
 * where_text.c - the verdict in sentences: ranks that wait, in what and for whom; what those do that
 * are waited for; or that nobody waits.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/merge_regions.h"
#include "merge/nccl/nccl.h"
#include "merge/where/where.h"
#include "model/python_file.h"

enum { NAMES_MOST = 4, GROUPS_MOST = 3 };
/* Two heartbeats: who ended so long before the last one did so by itself. */
static const int64_t beats_ns = 200000000;

struct text {
	FILE *out;
	struct where *where;
	int64_t least;
	int64_t end; /* the last sign of life of any rank */
};

static const struct process *process_of(const struct where *where, const struct where_rank *rank)
{
	return &where->merge->processes[rank->process];
}

static double seconds(int64_t ns)
{
	return (double)(ns > 0 ? ns : 0) / 1e9;
}

/* It ended well, or well before the last one did. */
static bool is_gone(const struct where *where, const struct where_rank *rank, int64_t end)
{
	const struct process *p = process_of(where, rank);

	return !p->spool || p->end == PROCESS_FINISHED ||
		(p->end == PROCESS_KILLED && end - rank->now > beats_ns);
}

static int64_t last_sign(const struct where *where)
{
	int64_t end = 0;

	for (uint32_t i = 0; i < where->nranks; i++)
		if (where->ranks[i].now > end)
			end = where->ranks[i].now;
	return end;
}

const char *where_comm_name(const struct where *where, uint32_t comm, char *text, size_t size)
{
	const struct comm *c = comm == NONE ? NULL : &where->merge->comms[comm];

	if (!c)
		return "";
	if (c->name && *c->name)
		return c->name;
	if (c->kind == COMM_WORLD)
		return "MPI_COMM_WORLD";
	snprintf(text, size, "communicator %" PRIu32, comm);
	return text;
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

/* ", at collate() in data.py:88". */
static void python_print(FILE *out, const struct process *p, const struct where_thread *thread)
{
	struct spool_def_python_stack place = { 0 };
	const struct spool_python_code *code;
	const char *base;

	if (p->spool && thread)
		place = python_place(p->spool, thread);
	if (!place.code)
		return;
	code = &p->spool->python_codes.at[place.code];
	base = strrchr(code->file, '/');
	fprintf(out, ", at %s() in %s", code->function, base ? base + 1 : code->file);
	if (place.line)
		fprintf(out, ":%" PRIu32, place.line);
}

static void doing_print(FILE *out, const struct where *where, const struct where_rank *rank,
	int64_t end)
{
	const struct process *p = process_of(where, rank);
	char text[64];
	const char *path;

	if (!p->spool || !rank->nthreads) {
		fputs("left no record", out);
	} else if (p->end == PROCESS_FINISHED) {
		fprintf(out, "ended at %.3f s", seconds(rank->now));
		if (p->spool->end.status)
			fprintf(out, " with status %d", p->spool->end.status & 0xff);
	} else if (is_gone(where, rank, end)) {
		fprintf(out, "%s%s at %.3f s", p->spool->ended ? "" : "was ",
			process_end_text(p, text, sizeof(text)), seconds(rank->now));
	} else if (!rank->call) {
		fprintf(out, "has computed for %.1f s", seconds(rank->now - rank->since));
	} else {
		path = path_of(p, rank->call);
		fprintf(out, "has been in %s%s%s for %.1f s", region_infos[rank->call->region].name,
			*path ? " of " : "", path, seconds(rank->now - rank->since));
	}
	if (p->end != PROCESS_FINISHED)
		python_print(out, p, rank->thread);
	if (rank->has_step)
		fprintf(out, " in step %" PRIu64, rank->step);
	if (rank->phase)
		fprintf(out, " of %s", rank->phase);
}

char *where_doing(const struct where *where, const struct where_rank *rank)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	doing_print(out, where, rank, last_sign(where));
	return fclose(out) == 0 ? text : NULL;
}

/* "rank 3", "ranks 0, 2 and 5", "61 ranks"; those with `mark`. Returns how many. */
static uint32_t ranks_print(const struct text *text, uint32_t mark, bool begins)
{
	uint32_t n = 0, nth = 0;

	for (uint32_t i = 0; i < text->where->nranks; i++)
		n += text->where->ranks[i].mark == mark;
	if (n > NAMES_MOST) {
		fprintf(text->out, "%" PRIu32 " ranks", n);
		return n;
	}
	fprintf(text->out, "%s ", begins ? n == 1 ? "Rank" : "Ranks" : n == 1 ? "rank" : "ranks");
	for (uint32_t i = 0; i < text->where->nranks; i++) {
		if (text->where->ranks[i].mark != mark)
			continue;
		fprintf(text->out, "%s%d",
			!nth		       ? ""
				: nth + 1 == n ? " and "
					       : ", ",
			text->where->ranks[i].rank);
		nth++;
	}
	return n;
}

/* The operation that a rank waits in: "MPI_Allreduce #412 of MPI_COMM_WORLD". */
static void operation_print(const struct text *text, const struct where_rank *rank)
{
	const char *name = region_infos[rank->call->region].name;
	char buffer[64];

	fputs(name, text->out);
	switch (rank->wait) {
	case WHERE_REQUEST:
		fprintf(text->out, " for %s #%" PRIu32 " of %s", region_infos[rank->region].name,
			rank->number,
			where_comm_name(text->where, rank->comm, buffer, sizeof(buffer)));
		break;
	case WHERE_COLLECTIVE:
		fprintf(text->out, " #%" PRIu32 " of %s", rank->number,
			where_comm_name(text->where, rank->comm, buffer, sizeof(buffer)));
		break;
	case WHERE_MESSAGE:
		if (rank->region != rank->call->region)
			fprintf(text->out, " for an %s", region_infos[rank->region].name);
		break;
	case WHERE_NCCL:
		fprintf(text->out, " for NCCL's collective #%" PRIu32, rank->number);
		break;
	case WHERE_RUNS: break;
	}
}

static bool is_alike(const struct where_rank *a, const struct where_rank *b)
{
	if (a->wait != b->wait || a->call->region != b->call->region || a->comm != b->comm ||
		a->number != b->number || a->waits_for.n != b->waits_for.n)
		return false;
	for (size_t i = 0; i < a->waits_for.n; i++)
		if (a->waits_for.at[i] != b->waits_for.at[i])
			return false;
	return true;
}

/* Whether the rank has waited for others for long enough; for one that is gone it will wait for ever. */
static bool waits(const struct text *text, const struct where_rank *rank)
{
	const struct where *where = text->where;
	bool gone = false;

	for (size_t i = 0; i < rank->waits_for.n && !gone; i++)
		gone = is_gone(where, &where->ranks[rank->waits_for.at[i]], text->end);
	return rank->call && rank->waits_for.n && !is_gone(where, rank, text->end) &&
		(gone || rank->now - rank->since >= text->least);
}

/* Marks all that somebody waits for, directly or through others. */
enum { UNMARKED, REACHED, GROUP, CULPRIT };

static void reach(const struct text *text, uint32_t place, uint32_t depth)
{
	struct where_rank *rank = &text->where->ranks[place];

	if (rank->mark == REACHED || depth > text->where->nranks)
		return;
	rank->mark = REACHED;
	for (size_t i = 0; waits(text, rank) && i < rank->waits_for.n; i++)
		reach(text, rank->waits_for.at[i], depth + 1);
}

/* Whether a rank leads to one that does not wait. */
static bool leads_out(const struct text *text, uint32_t place)
{
	struct where *where = text->where;
	bool out = false;

	for (uint32_t i = 0; i < where->nranks; i++)
		where->ranks[i].mark = UNMARKED;
	reach(text, place, 0);
	for (uint32_t i = 0; i < where->nranks && !out; i++)
		out = where->ranks[i].mark == REACHED && !waits(text, &where->ranks[i]);
	return out;
}

/* The member of a group that stands for it is the first one like it. */
static bool is_first(const struct text *text, uint32_t place)
{
	const struct where_rank *ranks = text->where->ranks;

	for (uint32_t i = 0; i < place; i++)
		if (waits(text, &ranks[i]) && is_alike(&ranks[i], &ranks[place]))
			return false;
	return true;
}

/* Ranks like `first` wait, and for whom, and what those do. */
static void group_print(const struct text *text, const struct where_rank *first)
{
	struct where *where = text->where;
	uint32_t n;

	for (uint32_t i = 0; i < where->nranks; i++)
		where->ranks[i].mark = waits(text, &where->ranks[i]) &&
				is_alike(&where->ranks[i], first)
			? GROUP
			: UNMARKED;
	n = ranks_print(text, GROUP, true);
	fprintf(text->out, n == 1 ? " waits in " : " wait in ");
	operation_print(text, first);
	fputs(" for ", text->out);
	for (uint32_t i = 0; i < where->nranks; i++)
		where->ranks[i].mark = UNMARKED;
	for (size_t i = 0; i < first->waits_for.n; i++)
		where->ranks[first->waits_for.at[i]].mark = CULPRIT;
	n = ranks_print(text, CULPRIT, false);
	if (n == 1 && !waits(text, &where->ranks[first->waits_for.at[0]])) {
		fputs(", which ", text->out);
		doing_print(text->out, where, &where->ranks[first->waits_for.at[0]], text->end);
	}
	fputs(". ", text->out);
}

static bool together_print(const struct text *text)
{
	const struct where *where = text->where;
	const struct where_rank *first = where->nranks ? &where->ranks[0] : NULL;
	int64_t last = 0;

	for (uint32_t i = 0; i < where->nranks; i++) {
		const struct where_rank *rank = &where->ranks[i];

		if (!rank->call || rank->wait == WHERE_RUNS || rank->waits_for.n ||
			where->nranks < 2 || !is_alike(rank, first) ||
			rank->now - rank->since < text->least)
			return false;
		last = rank->since > last ? rank->since : last;
	}
	if (!first)
		return false;
	fputs("All ranks are in ", text->out);
	operation_print(text, first);
	fprintf(text->out,
		", the last one for %.1f s: nobody is missing, so it is the library or the network. ",
		seconds(text->end - last));
	return true;
}

static enum where_verdict waits_print(const struct text *text)
{
	enum where_verdict verdict = WHERE_GOES_ON;
	struct where *where = text->where;
	uint32_t ngroups = 0;

	for (uint32_t i = 0; i < where->nranks; i++) {
		bool out;

		if (!waits(text, &where->ranks[i]) || !is_first(text, i))
			continue;
		out = leads_out(text, i);
		if (!out && verdict != WHERE_DEADLOCK)
			fputs("Ranks wait for each other: nobody can go on. ", text->out);
		if (!out || verdict == WHERE_GOES_ON)
			verdict = out ? WHERE_LATE : WHERE_DEADLOCK;
		if (ngroups++ < GROUPS_MOST)
			group_print(text, &where->ranks[i]);
	}
	if (ngroups > GROUPS_MOST)
		fprintf(text->out, "%" PRIu32 " more groups of ranks wait. ",
			ngroups - GROUPS_MOST);
	return verdict;
}

static bool all_over(const struct text *text)
{
	for (uint32_t i = 0; i < text->where->nranks; i++)
		if (process_of(text->where, &text->where->ranks[i])->end != PROCESS_FINISHED)
			return false;
	return true;
}

/* Nobody waits for long: the longest call that a rank is in. */
static void goes_on_print(const struct text *text)
{
	const struct where *where = text->where;
	const struct where_rank *longest = NULL;

	for (uint32_t i = 0; i < where->nranks; i++)
		if (!is_gone(where, &where->ranks[i], text->end) && where->ranks[i].thread &&
			(!longest ||
				where->ranks[i].now - where->ranks[i].since >
					longest->now - longest->since))
			longest = &where->ranks[i];
	fprintf(text->out, "No rank has waited for another one for %.1f s or more. ",
		seconds(text->least));
	if (!longest)
		return;
	fprintf(text->out, "Rank %d ", longest->rank);
	doing_print(text->out, where, longest, text->end);
	fputs(". ", text->out);
}

static enum where_verdict verdict_print(const struct text *text)
{
	enum where_verdict verdict;

	if (all_over(text)) {
		fputs("All ranks have ended. ", text->out);
		return WHERE_OVER;
	}
	if (where_mismatch_print(text->out, text->where, text->least))
		return WHERE_MISMATCH;
	verdict = waits_print(text);
	if (verdict == WHERE_GOES_ON && together_print(text))
		return WHERE_TOGETHER;
	if (verdict == WHERE_GOES_ON)
		goes_on_print(text);
	return verdict;
}

/* For how long all ranks have waited that wait for others, or for what nobody is missing in. */
static int64_t hung_ns(const struct text *text)
{
	const struct where *where = text->where;
	int64_t since = INT64_MIN;

	for (uint32_t i = 0; i < where->nranks; i++) {
		const struct where_rank *rank = &where->ranks[i];
		bool stuck = rank->call && rank->wait != WHERE_RUNS &&
			rank->now - rank->since >= text->least && !is_gone(where, rank, text->end);

		if ((stuck || waits(text, rank)) && rank->since > since)
			since = rank->since;
	}
	return since == INT64_MIN || since > text->end ? 0 : text->end - since;
}

char *where_text(struct where *where, int64_t least, enum where_verdict *verdict)
{
	struct text text = { .where = where, .least = least, .end = last_sign(where) };
	char *sentences = NULL;
	size_t size = 0;

	text.out = open_memstream(&sentences, &size);
	if (!text.out) {
		log_error("out of memory");
		return NULL;
	}
	*verdict = verdict_print(&text);
	where->hung_ns = where_matters(*verdict) ? hung_ns(&text) : 0;
	if (fclose(text.out) != 0) {
		log_error("out of memory");
		free(sentences);
		return NULL;
	}
	if (size && sentences[size - 1] == ' ')
		sentences[size - 1] = '\0';
	return sentences;
}
