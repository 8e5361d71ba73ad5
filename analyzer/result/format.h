/*
 * format.h - text of unknown origin (regions, files, hosts, labels) and
 * numbers, made fit for people. All escaping of the reports lives here.
 */
#ifndef ANALYZER_FORMAT_H
#define ANALYZER_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

/*
 * How a column of a query is shown: the part of its SQL alias after '|'.
 * FORMAT(enumerator, name, 1: a number, set right-aligned)
 */
#define RESULT_FORMATS(FORMAT)                                                                     \
	FORMAT(TEXT, "text", 0)                                                                    \
	FORMAT(PATH, "path", 0)		/* a name in fixed width that may break */                 \
	FORMAT(FUNCTION, "function", 0) /* the same; C++ names shortened, complete on hover */     \
	FORMAT(STATE, "state", 0)	/* key of a colour, not shown itself */                    \
	FORMAT(COUNT, "count", 1)                                                                  \
	FORMAT(NS, "ns", 1)		    /* time, with a fitting unit */                        \
	FORMAT(SECONDS, "s", 1)		    /* the same of seconds */                              \
	FORMAT(BYTES, "bytes", 1)	    /* decimal: 1 kB = 1000 B */                           \
	FORMAT(RATE, "rate", 1)		    /* bytes/s as GB/s and so on */                        \
	FORMAT(NUMBER, "number", 1)	    /* three digits */                                     \
	FORMAT(PERCENT, "percent", 1)	    /* of a ratio */                                       \
	FORMAT(SHARE, "share", 1)	    /* of a value that is in percent already */            \
	FORMAT(EFFICIENCY, "efficiency", 1) /* a ratio, two decimals, coloured */                  \
	FORMAT(WHY, "why", 0)	  /* why the column before is NULL, or a warning on it;	\
					   titled *: why any other column of the row is NULL */          \
	FORMAT(LEVEL, "level", 0) /* good, note, bad */                                            \
	FORMAT(BLOCK, "block", 0) /* a change starts a new series of a plot */

enum result_format {
#define FORMAT(id, name, number) FORMAT_##id,
	RESULT_FORMATS(FORMAT)
#undef FORMAT
		FORMAT_COUNT_OF
};

/* Whether it is of numbers, which are set right-aligned. */
bool format_is_number(enum result_format format);

/* `s` as HTML text or attribute value. */
void text_html(FILE *out, const char *s);

/* `s`, the name of a file, as a part of a link: what means something there as %XX. */
void text_url(FILE *out, const char *s);

/*
 * `s` as a quoted field of a gnuplot data file: similar characters replace quotes, backquotes and
 * backslashes.
 */
void text_gnuplot(FILE *out, const char *s);

/* `n` bytes as base64. */
void text_base64(FILE *out, const char *s, size_t n);

/* `value` (ns for FORMAT_NS, s for FORMAT_SECONDS…) as people read it; returns `buf`. */
const char *number_format(char *buf, size_t size, enum result_format format, double value);

#endif
