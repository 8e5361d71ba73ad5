/* rate.c - see rate.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "tables/rate.h"

enum { BIN_NS = 1000000, SECOND_NS = 1000000000 };

const char *const rate_names[RATE_COUNT] = {
	[RATE_STORAGE_READ] = "storage_read",
	[RATE_STORAGE_WRITE] = "storage_write",
	[RATE_NETWORK_SENT] = "network_sent",
	[RATE_NETWORK_RECEIVED] = "network_received",
};

static void width_double(struct rates *rates)
{
	for (int kind = 0; kind < RATE_COUNT; kind++) {
		double *bins = rates->bins[kind];

		for (int i = 0; bins && i < RATE_BINS; i++)
			bins[i] = i < RATE_BINS / 2 ? bins[2 * i] + bins[2 * i + 1] : 0;
	}
	rates->width *= 2;
}

/* Bins of twice the width until `end` is inside. */
static void widen(struct rates *rates, int64_t end)
{
	while (end / rates->width >= RATE_BINS)
		width_double(rates);
}

static int bins_open(struct rates *rates, enum rate_kind kind)
{
	if (!rates->bins[kind])
		rates->bins[kind] = calloc(RATE_BINS, sizeof(double));
	if (!rates->bins[kind])
		log_error("out of memory for throughput over time");
	return rates->bins[kind] ? 0 : -1;
}

int rate_merge(struct rates *rates, enum rate_kind kind, int64_t width, uint64_t total,
	const double *bins)
{
	if (!rates->width)
		rates->width = width;
	if (bins_open(rates, kind) < 0)
		return -1;
	while (rates->width < width)
		width_double(rates);
	for (int64_t i = 0; i < RATE_BINS; i++)
		rates->bins[kind][i * width / rates->width] += bins[i];
	rates->total[kind] += total;
	return 0;
}

/* The part of [begin, end] that is in bin i. */
static double share(const struct rates *rates, int64_t i, int64_t begin, int64_t end)
{
	int64_t from = i * rates->width, to = from + rates->width;

	from = from < begin ? begin : from;
	to = to > end ? end : to;
	return to > from ? (double)(to - from) : 0;
}

int rate_add(struct rates *rates, enum rate_kind kind, int64_t begin, int64_t end, uint64_t bytes)
{
	begin = begin < 0 ? 0 : begin;
	end = end < begin ? begin : end;
	if (!rates->width)
		rates->width = BIN_NS;
	if (bins_open(rates, kind) < 0)
		return -1;
	widen(rates, end);
	rates->total[kind] += bytes;
	if (begin / rates->width == end / rates->width) {
		rates->bins[kind][end / rates->width] += bytes;
		return 0;
	}
	for (int64_t i = begin / rates->width; i <= end / rates->width; i++)
		rates->bins[kind][i] += bytes * (share(rates, i, begin, end) / (end - begin));
	return 0;
}

/*
 * The part of bin i that is between the first and the last moment at which anything could move.
 */
static void bin_extent(const struct rates *rates, int64_t i, int64_t *from, int64_t *to)
{
	*from = i * rates->width;
	*to = *from + rates->width;
	if (rates->last <= rates->first) /* not reported */
		return;
	*from = *from < rates->first ? rates->first : *from;
	*to = *to > rates->last ? rates->last : *to;
}

double rate_between(const struct rates *rates, enum rate_kind kind, int64_t begin, int64_t end)
{
	double bytes = 0;

	if (!rates->bins[kind] || end <= begin)
		return 0;
	for (int64_t i = begin < 0 ? 0 : begin / rates->width;
		i < RATE_BINS && i * rates->width <= end; i++) {
		int64_t from, to;
		double inside;

		bin_extent(rates, i, &from, &to);
		inside = to > from ? to - from : 0;
		if (inside > 0)
			bytes += rates->bins[kind][i] / inside *
				share(rates, i, begin > from ? begin : from, end < to ? end : to);
		else if (begin <= from && from <= end && from == rates->last)
			bytes += rates->bins[kind][i]; /* at the last moment */
	}
	return bytes;
}

int64_t rate_end(const struct rates *rates)
{
	return rates->width * RATE_BINS;
}

static double bin_bytes(const struct rates *rates, enum rate_kind kind, int64_t i)
{
	return i < RATE_BINS ? rates->bins[kind][i] : 0;
}

/* Bytes of bin i, of which all of its time is known, that are in a part of it; 0 for others: no more than there are. */
static double bin_part(const struct rates *rates, enum rate_kind kind, int64_t i, double part)
{
	int64_t from, to;

	if (i >= RATE_BINS)
		return 0;
	bin_extent(rates, i, &from, &to);
	return to - from == rates->width ? rates->bins[kind][i] * part : 0;
}

/*
 * Most bytes in any stretch of `second`: a stretch is added up only where the bins that it touches,
 * without the part outside of it, hold more than the most so far.
 */
static double stretch_peak(const struct rates *rates, enum rate_kind kind, int64_t begin,
	int64_t end, int64_t second)
{
	const double rounded = 1 + 1e-10; /* less than that is no difference */
	int64_t width = rates->width, first = begin / width, last = (begin + second) / width;
	double before = (double)(begin % width) / width,
	       behind = 1 - (double)((begin + second) % width) / width, most = 0;
	long double touched = 0; /* sums in long double: adding and subtracting again leaves 0 */

	for (int64_t i = first; i <= last; i++)
		touched += bin_bytes(rates, kind, i);
	for (int64_t at = begin; at + second <= end; at += width) {
		double held = (double)touched - bin_part(rates, kind, first, before) -
			bin_part(rates, kind, last, behind);
		double bytes = held > most * rounded ? rate_between(rates, kind, at, at + second)
						     : 0;

		most = bytes > most ? bytes : most;
		touched += bin_bytes(rates, kind, ++last);
		touched -= bin_bytes(rates, kind, first++);
	}
	return most;
}

double rate_peak(const struct rates *rates, enum rate_kind kind, int64_t begin, int64_t end)
{
	int64_t second = end - begin < SECOND_NS ? end - begin : SECOND_NS;
	double most = 0;

	if (!rates->bins[kind] || end <= begin)
		return 0;
	begin = begin < 0 ? 0 : begin;
	/* a long run that moved nothing after its first seconds */
	if (end > rate_end(rates) + second)
		end = rate_end(rates) + second;
	if (rates->width >= SECOND_NS) { /* a bin is the shortest that can be reported */
		for (int64_t i = begin < 0 ? 0 : begin / rates->width;
			i < RATE_BINS && i * rates->width < end; i++)
			if (rates->bins[kind][i] / rates->width * SECOND_NS > most)
				most = rates->bins[kind][i] / rates->width * SECOND_NS;
		return most;
	}
	return stretch_peak(rates, kind, begin, end, second);
}

void rates_free(struct rates *rates)
{
	for (int kind = 0; kind < RATE_COUNT; kind++)
		free(rates->bins[kind]);
}
