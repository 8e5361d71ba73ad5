/*
 * rate.h - bytes over time, per node: storage and network as the intercepted
 * calls report it. A fixed number of bins that widen with the run keeps memory
 * bounded; a call's bytes are spread evenly over its duration.
 */
#ifndef ANALYZER_RATE_H
#define ANALYZER_RATE_H

#include <stdint.h>

enum rate_kind {
	RATE_STORAGE_READ,
	RATE_STORAGE_WRITE,
	RATE_NETWORK_SENT,
	RATE_NETWORK_RECEIVED,
	RATE_COUNT
};
extern const char *const rate_names[RATE_COUNT];

enum { RATE_BINS = 1 << 14 };

struct rates {
	double *bins[RATE_COUNT]; /* RATE_BINS each, made at the first byte */
	uint64_t total[RATE_COUNT];
	int64_t width;	     /* ns per bin: 1 ms times a power of two */
	int64_t first, last; /* nothing moved before and after; equal: not known */
};

/*
 * `bytes` moved during [begin, end], ns of the trace (negative times count as 0). 0, or -1 without
 * memory (reported).
 */
int rate_add(struct rates *rates, enum rate_kind kind, int64_t begin, int64_t end, uint64_t bytes);

/* Bytes between two times, exact up to the bins at the edges; exact for all from first to last. */
double rate_between(const struct rates *rates, enum rate_kind kind, int64_t begin, int64_t end);

/* Nothing moved from here on. */
int64_t rate_end(const struct rates *rates);

/* Most bytes in any second (or in the whole of it if it is shorter) of [begin, end]. */
double rate_peak(const struct rates *rates, enum rate_kind kind, int64_t begin, int64_t end);

/*
 * Adds RATE_BINS bins of one kind that were filled elsewhere. 0, or -1 without memory (reported).
 */
int rate_merge(struct rates *rates, enum rate_kind kind, int64_t width, uint64_t total,
	const double *bins);

void rates_free(struct rates *rates);

#endif
