/* sample_share.c - see sample_share.h. */
#include "config.h"

#include <math.h>

#include "base/student.h"
#include "engine/gpu/sample_share.h"

static void sums_add(struct sample_sums *sums, double x, double launches)
{
	sums->sum += x;
	sums->squares += x * x;
	sums->products += x * launches;
}

void sample_block_add(struct sample_block *block, const struct sample_piece *piece)
{
	block->n++;
	block->time += piece->time;
	sums_add(&block->launches, piece->launches, piece->launches);
	sums_add(&block->missed, piece->missed, piece->missed);
	sums_add(&block->gap, piece->gap, piece->missed);
	for (int i = 0; i < SAMPLE_PARTS; i++)
		sums_add(&block->part[i], piece->part[i], piece->launches);
}

static void sums_join(struct sample_sums *to, const struct sample_sums *from)
{
	to->sum += from->sum;
	to->squares += from->squares;
	to->products += from->products;
}

static void block_join(struct sample_block *to, const struct sample_block *from)
{
	to->n += from->n;
	to->time += from->time;
	sums_join(&to->launches, &from->launches);
	sums_join(&to->missed, &from->missed);
	sums_join(&to->gap, &from->gap);
	for (int i = 0; i < SAMPLE_PARTS; i++)
		sums_join(&to->part[i], &from->part[i]);
}

/* Variance of the sum `y`, as that of a ratio to launches. */
static double variance(uint64_t pieces, const struct sample_sums *y,
	const struct sample_sums *launches)
{
	double ratio = y->sum / launches->sum, n = (double)pieces;
	double rest = y->squares - 2 * ratio * y->products + ratio * ratio * launches->squares;

	return pieces > 1 ? fmax(rest, 0) * n / (n - 1) : 0;
}

/* Their ratio, nearly without the bias that one of few pieces has (Beale 1962; Cochran, 6.15). */
static double ratio(uint64_t pieces, const struct sample_sums *y,
	const struct sample_sums *launches)
{
	double n = (double)pieces, x = launches->sum;

	if (pieces < 2 || !(y->sum > 0))
		return y->sum / x;
	return y->sum / x * (1 + (n * y->products / (x * y->sum) - 1) / (n - 1)) /
		(1 + (n * launches->squares / (x * x) - 1) / (n - 1));
}

/* Of a block, or of all: work and time without recording, their variances. */
struct estimate {
	double work, time, of_work, of_time;
};

static struct estimate estimate(const struct sample_block *block, int part)
{
	const struct sample_sums *launches = &block->launches, *work = &block->part[part];
	double missed = block->missed.sum, times = 1 + missed / launches->sum;

	if (!(launches->sum > 0))
		return (struct estimate){ work->sum, block->gap.sum + block->time, 0, 0 };
	if (!(missed > 0))
		return (struct estimate){ work->sum, block->gap.sum + block->time,
			variance(block->n, work, launches), 0 };
	/* a step that was recorded is as one that was not: its variance is known of the many */
	return (struct estimate){ ratio(block->n, work, launches) * (launches->sum + missed),
		block->gap.sum * (1 + launches->sum / missed),
		variance(block->n, work, launches) * times * times,
		variance(block->n, &block->gap, &block->missed) * launches->sum / missed };
}

/* Blocks as they count: the last one, where it is not full, belongs to the one before. */
static struct sample_block block_at(const struct sample_block *blocks, size_t n, size_t i)
{
	struct sample_block block = blocks[i];

	if (i + 2 == n && blocks[i + 1].n < SAMPLE_BLOCK)
		block_join(&block, &blocks[i + 1]);
	return block;
}

static size_t blocks_count(const struct sample_block *blocks, size_t n)
{
	return n > 1 && blocks[n - 1].n < SAMPLE_BLOCK ? n - 1 : n;
}

struct sample_share sample_share(const struct sample_block *blocks, size_t n, int part)
{
	size_t count = blocks_count(blocks, n);
	struct estimate all = { 0 };
	double share, sum = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		struct sample_block block = block_at(blocks, n, i);
		struct estimate at = estimate(&block, part);

		all.work += at.work;
		all.time += at.time;
	}
	share = all.time > 0 ? all.work / all.time : NAN;
	for (size_t i = 0; i < count; i++) {
		struct sample_block block = block_at(blocks, n, i);
		struct estimate at = estimate(&block, part);
		double of_block = at.of_work + share * share * at.of_time;

		sum += of_block;
		squares += block.n > 1 ? of_block * of_block / (double)(block.n - 1) : 0;
	}
	if (count == 0 || (count == 1 && block_at(blocks, n, 0).n < 2))
		return (struct sample_share){ share, NAN };
	return (struct sample_share){ share,
		squares > 0 ? student_t95(sum * sum / squares) * sqrt(sum) / all.time : 0 };
}
