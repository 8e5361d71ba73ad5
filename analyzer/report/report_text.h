/*
 * report_text.h - text of unknown origin (regions, files, hosts, labels) and
 * numbers, made fit for people. All escaping of the reports lives here.
 */
#ifndef ANALYZER_REPORT_TEXT_H
#define ANALYZER_REPORT_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

/*
 * How a column of a query is shown: the part of its SQL alias after '|'.
 * FORMAT(enumerator, name, 1: a number, set right-aligned)
 */
#define REPORT_FORMATS(FORMAT)                                                                     \
	FORMAT(TEXT, "text", 0)                                                                    \
	FORMAT(PATH, "path", 0)		/* a name in fixed width that may break */                 \
	FORMAT(FUNCTION, "function", 0) /* the same; C++ names shortened, complete on hover */     \
	FORMAT(STATE, "state", 0)	/* key of a colour, not shown itself */                    \
	FORMAT(COUNT, "count", 1)                                                                  \
	FORMAT(NS, "ns", 1)		    /* time, with a fitting unit */                        \
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

enum report_format {
#define FORMAT(id, name, number) FORMAT_##id,
	REPORT_FORMATS(FORMAT)
#undef FORMAT
		FORMAT_COUNT_OF
};

/* `s` as HTML text or attribute value. */
void text_html(FILE *out, const char *s);

/* `s`, the name of a file, as a part of a link: what means something there as %XX. */
void text_url(FILE *out, const char *s);

/* `s` as a field of a CSV file (RFC 4180). */
void text_csv(FILE *out, const char *s);

/*
 * `s` as a quoted field of a gnuplot data file: similar characters replace quotes, backquotes and
 * backslashes.
 */
void text_gnuplot(FILE *out, const char *s);

/* `n` bytes as base64. */
void text_base64(FILE *out, const char *s, size_t n);

/* `value` (ns for FORMAT_NS…) as people read it; returns `buf`. */
const char *number_format(char *buf, size_t size, enum report_format format, double value);

#endif
