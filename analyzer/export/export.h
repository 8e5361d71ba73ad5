/*
 * export.h - runs in the formats of other tools: the trace as JSON that
 * Perfetto and Chrome open, the database as CSV.
 */
#ifndef ANALYZER_EXPORT_H
#define ANALYZER_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

struct export_options {
	const char *run;      /* as the user named it */
	const char *anchor;   /* the archive */
	const char *database; /* with the findings of the archive; NULL: none */
	const char *output;   /* file of the JSON, "-" = stdout; folder of the files of ranks */
	int64_t from, to;     /* ns of the trace's clock; all: INT64_MIN, INT64_MAX */
	const char *ranks;    /* "0,4-7"; NULL = all */
};

/*
 * Writes the archive as JSON trace events (Chrome's "JSON Array Format" in an
 * object). Threads get begin and end events, which always nest; activities of a stream that
 * overlap get their own lanes, messages and launches arrows, counters tracks. Memory is
 * bounded by names, open calls and channels of messages. 0, or -1 (reported).
 */
int export_perfetto(const struct export_options *options);

/*
 * Writes a file for each rank to the folder `output`, made if needed, in the shape of torch.profiler's traces
 * (Kineto), compressed where tacho has zlib. It has the threads and devices of the rank's own process. Each
 * file is complete, or not there. 0, or -1 (reported).
 */
int export_kineto(const struct export_options *options);

/*
 * Writes each table and view of a database to OUTPUT/NAME.csv (RFC 4180; NULL is an empty field,
 * an empty text ""), making the folder if needed. 0, or -1 (reported).
 */
int export_csv(const char *database, const char *output);

/*
 * Writes the Python stacks of a database's last run to the file ("-": stdout): folded, a line for each, or as
 * JSON of speedscope. 0, or -1 (reported).
 */
int export_stacks(const char *database, const char *output, bool folded);

#endif
