/*
 * location_row.h - rows of the tables process, location and location_time: once all is read, as
 * when they began and ended is known only then.
 */
#ifndef ANALYZER_LOCATION_ROW_H
#define ANALYZER_LOCATION_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "tacho/trace.h"

struct tables;

/* The life of a location, from its first event to its last. */
struct location_life {
	int64_t first, last;
	bool any; /* it has an event */
	uint64_t nevents, bytes_read;
	const char *damage; /* why it could not be read to its end; NULL: it was */
	int64_t spent[HOST_STATE_COUNT];
	/* the outermost call that was open at the end, MODEL_NONE: none; its start */
	uint32_t inside;
	int64_t inside_since;
	int64_t saved_steps; /* ended when it saved something last; -1: it did not, or it is not known */
};

/* `locations`: all of the model. */
void location_rows_write(struct tables *tables, const struct location_life *locations);

#endif
