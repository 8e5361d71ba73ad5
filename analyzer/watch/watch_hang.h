/* watch_hang.h - asks for the verdict of `tacho where` when a watched run seems to hang. */
#ifndef ANALYZER_WATCH_HANG_H
#define ANALYZER_WATCH_HANG_H

#include "watch/watch_view.h"

struct hang {
	int64_t least; /* ns that a rank must have been in a call */
	uint64_t steps;
	int64_t moved_ns; /* when a step ended last, CLOCK_MONOTONIC of the reader; 0: at the start */
	int64_t next_ns; /* no verdict before */
	char *text;	 /* of the verdict, with marks for its ages; NULL: it does not hang */
	int64_t made_ns; /* when it was asked for */
	char *shown;	 /* the same now */
};

/* Sets view->hang. Reads all spools where no step has ended for `least` and a rank is in one call. */
void hang_look(struct hang *hang, struct view *view, const char *run);
void hang_free(struct hang *hang);

#endif
