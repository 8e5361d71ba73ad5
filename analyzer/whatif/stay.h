/*
 * stay.h - finds where the ranks of a step model spent the parts of their time: lines of Python,
 * else calls. Samples and calls are sums of the whole run, so a place matches if its sum fits the
 * time; several places that fit together share it.
 */
#ifndef ANALYZER_STAY_H
#define ANALYZER_STAY_H

#include "whatif/step_model.h"

#define STAY_ALIKE 1.5 /* two ranks are alike up to this ratio of their times */

/* Where a rank spent a part of its time, and which share of it. */
struct stay {
	char *place;
	bool is_rare; /* the share is of the rare time of a call */
	bool is_more; /* the rank's excess in a call that all ranks have */
	struct part_share share;
	double each_ns; /* of a call: time in a step with the part, without queueing; 0: line */
};

/* What is known of a rank and part. */
struct whole {
	double usual_ns, rare_ns;
	double queued_ns; /* of the usual time: at the places of other ranks' sleep */
	double steps;	  /* that have the part */
	double signed_ns; /* COMPUTE and CALLS: less in steps in which it is below the others */
	ARRAY_OF(struct stay) stays;
};

/* Index of a part by its name; -1: there is none. */
int part_find(const char *name);

/* `wholes`: a row of OWN_PART_COUNT for each rank. */
struct whole *whole_of(struct whole *wholes, size_t rank, int part);

/* All wholes of a model, with their times and places; stays_free() in any case. NULL: failed. */
struct whole *stays_read(const struct step_model *model, sqlite3 *handle, int64_t run_id);
void stays_free(const struct step_model *model, struct whole *wholes);

#endif
