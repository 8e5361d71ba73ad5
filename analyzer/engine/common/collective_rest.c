/* collective_rest.c - see collective_rest.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/common/collective_rest.h"
#include "tables/collective_rest.def"
#include "tables/row_budget.h"

enum {
	ROWS_MOST = 1000000, /* of all communicators: about 150 MB */
	COMM_MOST = 500000,  /* of one communicator: 100,000 steps with five each */
	COMM_LEAST = 1000,
	LONGEST_MOST = 100,
	SIZES_MOST = 4096, /* sums; then sizes are rounded up to powers of two */
};

static const struct db_table table = DB_TABLE(collective_rest, "insert", COLLECTIVE_REST_COLUMNS);

static uint64_t most(struct engine *engine)
{
	uint64_t *n = &engine->collective_rests.most;
	uint64_t each = ROWS_MOST / (engine->tables.model.comms.n + 1);

	if (!*n)
		*n = row_budget(each > COMM_MOST    ? COMM_MOST
				: each < COMM_LEAST ? COMM_LEAST
						    : each);
	return *n;
}

static int64_t power_above(int64_t bytes)
{
	int64_t power = 1;

	while (power < bytes && power <= INT64_MAX / 2)
		power *= 2;
	return power < bytes ? bytes : power;
}

static bool is_of(const struct collective_rest *sum, const struct collective_line *line,
	int64_t bytes)
{
	return sum->comm == line->comm && sum->bytes == bytes && sum->op == line->op &&
		sum->nccl == line->nccl &&
		(sum->variant == line->variant ||
			(sum->variant && line->variant &&
				strcmp(sum->variant, line->variant) == 0));
}

static struct collective_rest *sum_find(struct collective_rests *rests,
	const struct collective_line *line)
{
	int64_t bytes = rests->sums.n < SIZES_MOST ? line->bytes : power_above(line->bytes);
	uint64_t variant = line->variant ? text_hash(line->variant) : 0;
	uint64_t key = idmap_key(hash_mix(hash_mix((uint64_t)line->comm, (uint64_t)bytes),
		hash_mix(line->op * 2 + line->nccl, variant)));
	struct collective_rest *sum;
	uint32_t i;

	for (; (i = idmap_find(&rests->numbers, key)) != IDMAP_NONE; key = idmap_key(key + 1))
		if (is_of(&rests->sums.at[i], line, bytes))
			return &rests->sums.at[i];
	sum = ARRAY_ADD(&rests->sums);
	if (!sum || idmap_set(&rests->numbers, key, (uint32_t)(rests->sums.n - 1)) < 0)
		return NULL;
	*sum = (struct collective_rest){ .comm = line->comm,
		.bytes = bytes,
		.variant = line->variant,
		.op = line->op,
		.nccl = line->nccl,
		.gloo = line->gloo };
	return sum;
}

static void line_add(struct engine *engine, const struct collective_line *line)
{
	struct collective_rest *sum = sum_find(&engine->collective_rests, line);
	int64_t transfer = line->end - line->latest;

	engine->tables.failed |= !sum;
	if (!sum)
		return;
	sum->calls++;
	sum->total_bytes += line->bytes;
	sum->skew += line->latest - line->first;
	sum->transfer += transfer;
	if (isnan(line->algorithm))
		return;
	sum->timed++;
	sum->timed_ns += transfer;
	sum->moved += line->algorithm * (double)transfer;
	sum->bus_moved += line->bus * (double)transfer;
	sum->bus += line->bus;
	sum->bus_most = fmax(sum->bus_most, line->bus);
}

/* By length; of equal ones the same is the shorter in whatever order they come. */
static bool is_shorter(const struct collective_line *a, const struct collective_line *b)
{
	int64_t x = a->end - a->first, y = b->end - b->first;

	if (x != y)
		return x < y;
	if (a->comm != b->comm || a->nccl != b->nccl)
		return a->comm != b->comm ? a->comm < b->comm : a->nccl;
	return a->number > b->number;
}

/*
 * Inserts the collective into the list of the longest, which is kept sorted. The one that drops out
 * is added to the sums.
 */
static void longest_take(struct engine *engine, const struct collective_line *line)
{
	struct collective_rests *rests = &engine->collective_rests;
	struct collective_line out;
	size_t i;

	if (rests->longest.n < LONGEST_MOST) {
		i = rests->longest.n;
		if (!ARRAY_ADD(&rests->longest)) {
			engine->tables.failed = true;
			return;
		}
		for (; i > 0 && is_shorter(line, &rests->longest.at[i - 1]); i--)
			rests->longest.at[i] = rests->longest.at[i - 1];
		rests->longest.at[i] = *line;
		return;
	}
	if (!is_shorter(&rests->longest.at[0], line)) {
		line_add(engine, line);
		return;
	}
	out = rests->longest.at[0];
	for (i = 0; i + 1 < rests->longest.n && is_shorter(&rests->longest.at[i + 1], line); i++)
		rests->longest.at[i] = rests->longest.at[i + 1];
	rests->longest.at[i] = *line;
	line_add(engine, &out);
}

bool collective_has_row(struct engine *engine, const struct collective_line *line)
{
	uint64_t n = (uint32_t)line->number;

	if (n % row_apart(most(engine), n) == 0)
		return true;
	longest_take(engine, line);
	return false;
}

void collective_rests_write(struct engine *engine)
{
	for (size_t i = 0; i < engine->collective_rests.sums.n; i++) {
		const struct collective_rest *sum = &engine->collective_rests.sums.at[i];

		db_put_row(&engine->tables.db, &table, DB_ROW(COLLECTIVE_REST_COLUMNS));
	}
}

void collective_rests_free(struct collective_rests *rests)
{
	free(rests->sums.at);
	free(rests->longest.at);
	idmap_free(&rests->numbers);
}

const char *collective_line_op(const struct collective_line *line)
{
	const struct nccl_op *nccl = line->nccl ? nccl_operation(line->op) : NULL;
	const struct collective_op *mpi = line->nccl ? NULL : collective_op(line->op);

	return nccl ? nccl->name : mpi ? mpi->name : NULL;
}

const char *collective_line_kind(const struct collective_line *line)
{
	return line->nccl ? "nccl" : line->gloo ? "gloo" : "mpi";
}
