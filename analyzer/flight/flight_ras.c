/*
 * flight_ras.c - the output of ncclras (NCCL 2.24 and newer): ranks that have launched fewer operations of a
 * communicator than others, and processes that do not answer.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "flight/flight_job.h"

/* Ranks of a communicator that have launched as many operations. */
struct level {
	uint64_t nranks;
	int64_t operations; /* 0: none */
	ARRAY_OF(int64_t) ranks;
	char *where; /* of the first of them: ", GPU 2 managed by process 483074 on node n1" */
};

struct ras {
	char name[96], operation[32]; /* of the communicator that lines are about */
	ARRAY_OF(struct level) levels;
	FILE *out;
	size_t nsentences;
	bool in_errors;
};

static void level_free(struct ras *ras)
{
	for (size_t i = 0; i < ras->levels.n; i++) {
		free(ras->levels.at[i].ranks.at);
		free(ras->levels.at[i].where);
	}
	ras->levels.n = 0;
}

/* What was read of a communicator, as a sentence. */
static void communicator_end(struct ras *ras)
{
	const struct level *most = NULL;

	for (size_t i = 0; i < ras->levels.n; i++)
		if (!most || ras->levels.at[i].operations > most->operations)
			most = &ras->levels.at[i];
	for (size_t i = 0; i < ras->levels.n; i++) {
		const struct level *level = &ras->levels.at[i];

		if (level == most)
			continue;
		fputs(ras->nsentences++ ? " " : "", ras->out);
		if (level->ranks.n == level->nranks)
			flight_ranks_put(ras->out, level->ranks.at, level->ranks.n, true);
		else
			fprintf(ras->out, "%" PRIu64 " ranks", level->nranks);
		fprintf(ras->out, " of communicator %s %s launched ", ras->name,
			level->nranks == 1 ? "has" : "have");
		if (level->operations)
			fprintf(ras->out, "%s operation %" PRId64, ras->operation,
				level->operations);
		else
			fprintf(ras->out, "no %s operation", ras->operation);
		fprintf(ras->out, ", %" PRIu64 " %s %" PRId64 "%s%s.", most->nranks,
			most->nranks == 1 ? "other" : "others", most->operations,
			level->where ? ": look at " : "", level->where ? level->where : "");
	}
	level_free(ras);
}

static struct level *level_add(struct ras *ras, uint64_t nranks, int64_t operations)
{
	struct level *level = ARRAY_ADD(&ras->levels);

	if (level)
		*level = (struct level){ .nranks = nranks, .operations = operations };
	return level;
}

/* "GPU 2 managed by process 483074 on node n1" */
static void level_rank(struct level *level, int64_t rank, const char *where)
{
	int64_t *at = level ? ARRAY_ADD(&level->ranks) : NULL;

	if (!at)
		return;
	*at = rank;
	if (!level->where && *where)
		level->where = text_clean(where, strlen(where));
}

/* A line with ranks and counts. False: it is something else. */
static bool count_take(struct ras *ras, const char *line)
{
	uint64_t nranks;
	int64_t operations = 0, rank;
	const char *where = strstr(line, " -- ");

	where = where ? where + 4 : "";
	if (sscanf(line, "%" SCNu64 " ranks have launched up to operation %" SCNd64, &nranks,
		    &operations) == 2 ||
		(strstr(line, "ranks have not launched") && sscanf(line, "%" SCNu64, &nranks) == 1))
		return level_add(ras, nranks, operations);
	if (sscanf(line, "Rank %" SCNd64 " has launched up to operation %" SCNd64, &rank,
		    &operations) == 2 ||
		(strstr(line, "has not launched") && sscanf(line, "Rank %" SCNd64, &rank) == 1)) {
		level_rank(level_add(ras, 1, operations), rank, where);
		return true;
	}
	if (ras->levels.n && *where && sscanf(line, "Rank %" SCNd64, &rank) == 1) {
		level_rank(&ras->levels.at[ras->levels.n - 1], rank, where);
		return true;
	}
	return false;
}

static void line_take(struct ras *ras, const char *line)
{
	char kind[64] = "collective";
	char name[64];

	while (*line == ' ' || *line == '\t')
		line++;
	if (sscanf(line, "#%*d-%*d (%63[0-9a-f])", name) == 1) {
		communicator_end(ras);
		snprintf(ras->name, sizeof(ras->name), "%s", name);
		return;
	}
	if (sscanf(line, "Communicator ranks have different %63s", kind) == 1) {
		communicator_end(ras);
		snprintf(ras->operation, sizeof(ras->operation), "%.31s", kind);
		return;
	}
	if (count_take(ras, line))
		return;
	/* "1 job process is considered dead (unreachable via the RAS network)", "Process 12 on node …" */
	if (strstr(line, "is considered dead") || strstr(line, "are considered dead") ||
		strstr(line, "Missing communicator data from")) {
		communicator_end(ras);
		ras->in_errors = true;
	}
	if (ras->in_errors && strncmp(line, "Process ", 8) == 0) {
		char *clean = text_clean(line, strlen(line));

		fprintf(ras->out, "%s%s does not answer.", ras->nsentences++ ? " " : "",
			clean ? clean : "A process");
		free(clean);
	}
}

int flight_ras(const char *path, char *text, bool as_json, FILE *out)
{
	struct ras ras = { .operation = "collective", .name = "?" };
	struct json json = { .out = out };
	char *sentences = NULL, *rest = text;
	size_t size;

	(void)path;
	ras.out = open_memstream(&sentences, &size);
	if (!ras.out)
		return -1;
	for (char *line; (line = strsep(&rest, "\r\n"));)
		line_take(&ras, line);
	communicator_end(&ras);
	free(ras.levels.at);
	if (!ras.nsentences)
		fputs("All ranks of each communicator answer and have launched as many operations.",
			ras.out);
	fclose(ras.out);
	if (as_json) {
		json_object(&json, NULL, JSON_LINES);
		json_text(&json, "verdict", ras.nsentences ? "late rank" : "goes on");
		json_text(&json, "text", sentences);
		json_end(&json);
	} else {
		fprintf(out, "%s\n", sentences);
		if (ras.nsentences)
			fputs("Ranks differ by an operation or two in a job that runs: ask ncclras again, "
			      "and look for counts that stay.\n",
				out);
	}
	free(sentences);
	return 0;
}
