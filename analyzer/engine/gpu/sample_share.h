/*
 * sample_share.h - shares of a device's time where only a sample of it is in detail, as if nothing were recorded,
 * and by how much they may be off.
 *
 * All time up to the last recorded step consists of pieces: time that was missed, and then time that was
 * recorded, in which launches took longer. SAMPLE_BLOCK pieces, one after the other, are a block. In a block,
 * with sums over its pieces of what a device did (X) and of the launches (L) where it was recorded, and of
 * time (G) and launches (M) where it was not:
 *
 *	work of the block	x = (L + M) X / L
 *	time without recording	t = G + L G / M
 *
 * A share is the sum of x by that of t over all blocks. Launches and missed time are known of all steps, so
 * only work per launch is estimated, and the time of the recorded launches. Both are ratios that are
 * estimated in strata (Cochran, Sampling Techniques, 3rd ed., 6.10), X / L without the bias of a small one (Beale;
 * 6.15): a drift within the run, or another share of steps in a part of it, makes them neither wrong nor less
 * certain. A block's variances are those of the residuals of its pieces from its ratios (6.4), that of
 * the recorded launches' time is known of the missed ones; degrees of freedom are Satterthwaite's (5.4).
 */
#ifndef ANALYZER_SAMPLE_SHARE_H
#define ANALYZER_SAMPLE_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAMPLE_BUSY, SAMPLE_AT_WORK, SAMPLE_PARTS }; /* at work: not idle */

struct sample_piece {
	double gap, missed; /* time before it in ns, launches in that */
	double time, launches;
	double part[SAMPLE_PARTS]; /* ns of `time` */
};

/* Sums over pieces. */
struct sample_sums {
	double sum, squares, products; /* with the launches in that time */
};

struct sample_block {
	uint64_t n;
	double time;
	struct sample_sums launches, missed, gap, part[SAMPLE_PARTS];
};

/* With 95 %; NAN: not known. */
struct sample_share {
	double share, error;
};

enum { SAMPLE_BLOCK = 8 }; /* pieces */

void sample_block_add(struct sample_block *block, const struct sample_piece *piece);

/* The last one of several takes in what is left when it is not full. */
struct sample_share sample_share(const struct sample_block *blocks, size_t n, int part);

#endif
