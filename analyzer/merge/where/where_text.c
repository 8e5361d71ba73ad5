/*
 * where_text.c - the verdict in sentences: ranks that wait, in what and for whom; or that nobody
 * waits.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/walk/walk_regions.h"
#include "merge/nccl/nccl.h"
#include "merge/where/where.h"
#include "tacho/trace.h"

enum { NAMES_MOST = 4, GROUPS_MOST = 3 };

struct where_output {
	FILE *out;
	struct where *where;
	int64_t least;
	int64_t end; /* the last sign of life of any rank */
};

static double seconds(int64_t ns)
{
	return (double)(ns > 0 ? ns : 0) / 1e9;
}

/* "rank 3", "ranks 0, 2 and 5", "61 ranks"; those with `mark`. Returns how many. */
static uint32_t ranks_print(const struct where_output *text, uint32_t mark, bool begins)
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
static void operation_print(const struct where_output *text, const struct where_rank *rank)
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
			fprintf(text->out, " for %s %s",
				region_class(rank->region) == REGION_CLASS_MPI ? "an" : "a",
				region_infos[rank->region].name);
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

static bool waits_for_gone(const struct where *where, const struct where_rank *rank)
{
	for (size_t i = 0; i < rank->waits_for.n; i++)
		if (where_is_gone(where, &where->ranks[rank->waits_for.at[i]], where->end))
			return true;
	return false;
}

/*
 * Whether the rank has waited for others for long enough; for one that is gone it will wait for
 * ever. A rank that was killed meanwhile had waited until then: a hang is often ended rank by
 * rank.
 */
static bool waits(const struct where_output *text, const struct where_rank *rank)
{
	if (!rank->call || !rank->waits_for.n ||
		where_process(text->where, rank)->end == PROCESS_FINISHED)
		return false;
	return rank->now - rank->since >= text->least ||
		(!where_is_gone(text->where, rank, text->end) && waits_for_gone(text->where, rank));
}

/* Marks all that somebody waits for, directly or through others. */
enum { UNMARKED, REACHED, GROUP, CULPRIT };

static void reach(const struct where_output *text, uint32_t place, uint32_t depth)
{
	struct where_rank *rank = &text->where->ranks[place];

	if (rank->mark == REACHED || depth > text->where->nranks)
		return;
	rank->mark = REACHED;
	for (size_t i = 0; waits(text, rank) && i < rank->waits_for.n; i++)
		reach(text, rank->waits_for.at[i], depth + 1);
}

/* Whether a rank leads to one that does not wait. */
static bool leads_out(const struct where_output *text, uint32_t place)
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

/* The member of a group that represents it is the first one like it. */
static bool is_first(const struct where_output *text, uint32_t place)
{
	const struct where_rank *ranks = text->where->ranks;

	for (uint32_t i = 0; i < place; i++)
		if (waits(text, &ranks[i]) && is_alike(&ranks[i], &ranks[place]))
			return false;
	return true;
}

/* Of one that waits for one that waits as well: where it does. */
static void place_print(const struct where_output *text, const struct where_rank *rank)
{
	char *place = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&place, &size);

	if (!out)
		return;
	where_python_print(out, text->where, rank);
	if (fclose(out) == 0 && size)
		fprintf(text->out, "%s,", place);
	free(place);
}

/* Ranks like `first` wait, and for whom, and what those do. */
static void group_print(const struct where_output *text, const struct where_rank *first)
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
	if (n == 1 && first->waits_for.n == 1 && waits(text, &where->ranks[first->waits_for.at[0]]))
		place_print(text, first);
	fputs(" for ", text->out);
	for (uint32_t i = 0; i < where->nranks; i++)
		where->ranks[i].mark = UNMARKED;
	for (size_t i = 0; i < first->waits_for.n; i++)
		where->ranks[first->waits_for.at[i]].mark = CULPRIT;
	n = ranks_print(text, CULPRIT, false);
	if (n == 1 && !waits(text, &where->ranks[first->waits_for.at[0]])) {
		fputs(", which ", text->out);
		where_doing_print(text->out, where, &where->ranks[first->waits_for.at[0]],
			text->end);
	}
	fputs(". ", text->out);
}

static bool together_print(const struct where_output *text)
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
	fputs(", the last one for ", text->out);
	where_age_print(text->out, where, text->end - last);
	fputs(": no rank is missing, so the cause is the library or the network. ", text->out);
	return true;
}

static enum where_verdict waits_print(const struct where_output *text)
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
			fputs("Ranks wait for each other: no rank can continue. ", text->out);
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

static bool all_over(const struct where_output *text)
{
	for (uint32_t i = 0; i < text->where->nranks; i++)
		if (where_process(text->where, &text->where->ranks[i])->end != PROCESS_FINISHED)
			return false;
	return true;
}

/* Nobody waits for long: the longest call that a rank is in. */
static void goes_on_print(const struct where_output *text)
{
	const struct where *where = text->where;
	const struct where_rank *longest = NULL;

	for (uint32_t i = 0; i < where->nranks; i++)
		if (!where_is_gone(where, &where->ranks[i], text->end) && where->ranks[i].thread &&
			(!longest ||
				where->ranks[i].now - where->ranks[i].since >
					longest->now - longest->since))
			longest = &where->ranks[i];
	fprintf(text->out, "No rank%s has waited for another one%s for %.1f s or more. ",
		where->merge->is_part ? " of this node" : "", where->merge->is_part ? " of it" : "",
		seconds(text->least));
	if (!longest)
		return;
	fprintf(text->out, "Rank %d ", longest->rank);
	where_doing_print(text->out, where, longest, text->end);
	fputs(". ", text->out);
}

static enum where_verdict verdict_print(const struct where_output *text)
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
static int64_t hung_ns(const struct where_output *text)
{
	const struct where *where = text->where;
	int64_t ns = INT64_MAX;

	for (uint32_t i = 0; i < where->nranks; i++) {
		const struct where_rank *rank = &where->ranks[i];
		bool stuck = rank->call && rank->wait != WHERE_RUNS &&
			rank->now - rank->since >= text->least &&
			!where_is_gone(where, rank, text->end);
		int64_t until = where_is_gone(where, rank, text->end) ? rank->now : text->end;

		if ((stuck || waits(text, rank)) && until - rank->since < ns)
			ns = until - rank->since;
	}
	return ns == INT64_MAX || ns < 0 ? 0 : ns;
}

/* "0,2,3": ranks that have the mark; to be freed, NULL without memory. */
static char *marked_list(const struct where *where, uint32_t mark)
{
	const char *comma = "";
	char *list = NULL;
	size_t size;
	FILE *out = open_memstream(&list, &size);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < where->nranks; i++) {
		if (where->ranks[i].mark != mark)
			continue;
		fprintf(out, "%s%d", comma, where->ranks[i].rank);
		comma = ",";
	}
	return fclose(out) == 0 ? list : NULL;
}

/*
 * Who waits for whom, where all that wait do so alike. Whether any of them waits for a rank that
 * is gone.
 */
static bool waits_list(const struct where_output *text, struct where_hang *hang)
{
	struct where *where = text->where;
	const struct where_rank *first = NULL;
	bool alike = true, gone = false;

	for (uint32_t i = 0; i < where->nranks; i++)
		where->ranks[i].mark = UNMARKED;
	for (uint32_t i = 0; i < where->nranks; i++) {
		struct where_rank *rank = &where->ranks[i];

		if (!waits(text, rank))
			continue;
		first = first ? first : rank;
		rank->mark = GROUP;
		alike &= is_alike(rank, first);
		gone |= waits_for_gone(where, rank);
	}
	for (size_t i = 0; first && alike && i < first->waits_for.n; i++)
		where->ranks[first->waits_for.at[i]].mark = CULPRIT;
	if (first && alike) {
		hang->call = region_infos[first->call->region].name;
		hang->ranks = marked_list(where, GROUP);
		hang->waited_for = marked_list(where, CULPRIT);
	}
	return gone;
}

static void hang_find(const struct where_output *text, enum where_verdict verdict)
{
	static const char *const kinds[] = { [WHERE_LATE] = HANG_LATE,
		[WHERE_DEADLOCK] = HANG_DEADLOCK,
		[WHERE_MISMATCH] = HANG_MISMATCH,
		[WHERE_TOGETHER] = HANG_TOGETHER,
		[WHERE_OVER] = NULL };
	struct where_hang *hang = &text->where->hang;

	hang->kind = kinds[verdict];
	if (!hang->kind)
		return;
	hang->ns = hung_ns(text);
	if (verdict == WHERE_LATE && waits_list(text, hang))
		hang->kind = HANG_DEAD;
}

char *where_text(struct where *where, int64_t least, enum where_verdict *verdict)
{
	struct where_output text = { .where = where, .least = least, .end = where->end };
	char *sentences = NULL;
	size_t size = 0;

	text.out = open_memstream(&sentences, &size);
	if (!text.out) {
		log_error("out of memory");
		return NULL;
	}
	*verdict = verdict_print(&text);
	hang_find(&text, *verdict);
	if (fclose(text.out) != 0) {
		log_error("out of memory");
		free(sentences);
		return NULL;
	}
	if (size && sentences[size - 1] == ' ')
		sentences[size - 1] = '\0';
	return sentences;
}
