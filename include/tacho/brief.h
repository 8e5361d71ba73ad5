/*
 * brief.h - SPOOL_BRIEF: consecutive outermost calls in one or two words each, with all facts of a
 * full record. Written by libtacho, read by whoever reads spools.
 *
 *   w0 … w2  as of any record: region of the first call; a = its handle where it is a
 *            BRIEF_IO, else 0; from the start of the first to the end of the last
 *   w3 …     their words; a zero word is none, as the writer stores it last
 *
 *   a call   kind:3 | region:11 | start:22 | the rest:28     (bits from the low end)
 *
 * `start` counts from the start of the call before (for the first call: from w1). It is in ticks,
 * like durations.
 */
#ifndef TACHO_BRIEF_H
#define TACHO_BRIEF_H

#include <stdbool.h>

#include "tacho/regions.h"
#include "tacho/spool.h"

enum brief_kind {
	/* SPOOL_IO_PLAIN with the handle of the one before; rest = duration:15 | result:13 */
	BRIEF_IO = 1,
	/* SPOOL_IO_PLAIN; rest = duration; a further word = handle:32 | result:32 */
	BRIEF_IO_LONG,
	BRIEF_CALL,	   /* SPOOL_CALL without a; rest = duration */
	BRIEF_SYNC,	   /* SPOOL_SYNC, object 0; rest = enum spool_sync:3 | duration:25 */
	BRIEF_SYNC_OBJECT, /* the same; a further word = object */
	BRIEF_KINDS
};

#define BRIEF_WORDS_MOST 512u	    /* of the record */
#define BRIEF_SPAN	 (1u << 24) /* ticks from its start in which calls begin */
#define BRIEF_START_MOST ((1u << 22) - 1)
#define BRIEF_REST	 36 /* the first bit of the rest */
#define BRIEF_IO_TICKS	 15 /* bits */
#define BRIEF_IO_FAILED	 ((1u << 13) - 1)
#define BRIEF_SYNC_HOW	 3		  /* bits */
#define BRIEF_TICKS_MOST ((1u << 25) - 1) /* of a call of any kind but BRIEF_IO */

_Static_assert(REGION_COUNT <= 1 << 11, "a brief call has 11 bits for its region");

/* The word of a BRIEF_IO. */
static inline uint64_t brief_io(unsigned region, uint64_t start, uint64_t ticks, uint64_t result)
{
	return BRIEF_IO | (uint64_t)region << 3 | start << 14 | ticks << BRIEF_REST |
		result << (BRIEF_REST + BRIEF_IO_TICKS);
}

/*
 * Encodes a call from the fields of its record: type, a, w3 (`value`; SPOOL_CALL has none). `start`
 * counts from the start of the call before; `handle` is that call's. Returns the number of words,
 * or 0 when the call needs a full record.
 */
static inline unsigned brief_put(uint64_t words[2], unsigned type, unsigned region, uint32_t a,
	uint64_t value, uint64_t start, uint64_t ticks, uint32_t handle)
{
	uint64_t word = (uint64_t)region << 3 | start << 14;

	if (start > BRIEF_START_MOST || ticks > BRIEF_TICKS_MOST)
		return 0;
	if (type == SPOOL_IO_PLAIN) {
		if (a == handle && ticks < 1u << BRIEF_IO_TICKS && value + 1 <= BRIEF_IO_FAILED) {
			words[0] = brief_io(region, start, ticks, value);
			return 1;
		}
		if (value + 1 > UINT32_MAX)
			return 0;
		words[0] = word | BRIEF_IO_LONG | ticks << BRIEF_REST;
		words[1] = spool_pair(a, (uint32_t)value);
		return 2;
	}
	if (type == SPOOL_CALL) {
		words[0] = word | BRIEF_CALL | ticks << BRIEF_REST;
		return a ? 0 : 1;
	}
	if (type != SPOOL_SYNC || a >> BRIEF_SYNC_HOW)
		return 0;
	words[0] = word | (value ? BRIEF_SYNC_OBJECT : BRIEF_SYNC) | (uint64_t)a << BRIEF_REST |
		ticks << (BRIEF_REST + BRIEF_SYNC_HOW);
	words[1] = value;
	return value ? 2 : 1;
}

/* Walks the calls of a record. */
struct brief {
	const uint64_t *at, *behind;
	uint64_t start; /* of the call before */
	uint32_t handle;
};

static inline struct brief brief_of(const uint64_t *rec)
{
	return (struct brief){ rec + 3, rec + spool_words(rec[2]), rec[1], spool_a(rec[0]) };
}

/* Expands the next call to a full record. False: no call is left, or it is damaged. */
static inline bool brief_next(struct brief *brief, uint64_t rec[4])
{
	uint64_t word = brief->at < brief->behind ? *brief->at : 0, rest = word >> BRIEF_REST;
	unsigned kind = word & 7, type = SPOOL_IO_PLAIN, words = 4;
	bool is_long = kind == BRIEF_IO_LONG || kind == BRIEF_SYNC_OBJECT;
	uint32_t a = 0;

	if (!kind || kind >= BRIEF_KINDS || brief->behind - brief->at < 1 + is_long)
		return false;
	rec[3] = is_long ? brief->at[1] : 0;
	switch (kind) {
	case BRIEF_IO:
		a = brief->handle;
		rec[3] = rest >> BRIEF_IO_TICKS;
		rec[3] = rec[3] == BRIEF_IO_FAILED ? UINT64_MAX : rec[3];
		rest &= (1u << BRIEF_IO_TICKS) - 1;
		break;
	case BRIEF_IO_LONG:
		a = brief->handle = (uint32_t)rec[3];
		rec[3] >>= 32;
		rec[3] = rec[3] == UINT32_MAX ? UINT64_MAX : rec[3];
		break;
	case BRIEF_CALL:
		type = SPOOL_CALL;
		words = 3;
		break;
	default:
		type = SPOOL_SYNC;
		a = rest & ((1u << BRIEF_SYNC_HOW) - 1);
		rest >>= BRIEF_SYNC_HOW;
	}
	brief->start += word >> 14 & BRIEF_START_MOST;
	brief->at += 1 + is_long;
	rec[0] = spool_word0(type, 0, word >> 3 & ((1u << 11) - 1), a);
	rec[1] = brief->start;
	rec[2] = spool_word2(rest, words);
	return true;
}

/* Whether a SPOOL_FOLD before the record may include wakes after it that woke no thread. */
static inline bool brief_is_passed(const uint64_t *rec)
{
	struct brief calls = brief_of(rec);
	uint64_t call[4];

	if (spool_type(rec[0]) == SPOOL_BEGIN || spool_type(rec[0]) == SPOOL_END)
		return spool_region(rec[0]) == SPOOL_MARK_REGION && !spool_depth(rec[0]);
	if (spool_type(rec[0]) != SPOOL_BRIEF)
		return spool_type_is_plain(spool_type(rec[0])) && !spool_depth(rec[0]) &&
			region_is_passed(spool_region(rec[0]));
	while (brief_next(&calls, call))
		if (!spool_type_is_plain(spool_type(call[0])) ||
			!region_is_passed(spool_region(call[0])))
			return false;
	return true;
}

#endif
