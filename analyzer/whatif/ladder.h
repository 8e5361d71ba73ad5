/*
 * ladder.h - the causes of a run's step time, each with the time that the steps would take
 * without it and all causes before it. So no second counts twice. A cause is a part of the own
 * time of one or several ranks at one place: a line of Python, else a call.
 */
#ifndef ANALYZER_LADDER_H
#define ANALYZER_LADDER_H

#include "whatif/step_model.h"

struct cause {
	enum own_part part;
	char *place;		  /* "fetch() at train.py:64", else a call; NULL: not known */
	char *rank_list;	  /* 0,4-7 */
	bool is_rare, is_more;	  /* as of struct stay */
	double each_ns;		  /* of a call, of the first rank; 0: of a line */
	struct part_share *share; /* of the part, by index of step_model.ranks */
	bool *out;		  /* of these: it has been taken out */
	size_t nranks, rank;	  /* that have a share; one of them */
	double own_s;		  /* the ranks' time in it, their mean */
	double steps;		  /* in which a rank had it for 1 % of its local time or more */
	int64_t first, last;	  /* of those, their numbers */
	double before_s,
		after_s; /* time of the steps without the causes before it, and without it as well;
			  * for parts outside, the time outside of steps */
};

struct ladder {
	struct step_model model;
	ARRAY_OF(struct cause) causes;	      /* all; the ladder's first */
	size_t n;			      /* of the ladder */
	struct part_share *room;	      /* one for each rank */
	double *most_s;			      /* two for each rank: in steps, and outside of them */
	double ideal_s;			      /* time of the steps without the ladder's causes */
	double account_s[ACCOUNT_PART_COUNT]; /* what that, and the time outside of steps, is */
};

/*
 * The causes of a run, the one that saves most first, then the one that saves most without that.
 * Causes that save less than 1 % of the steps' time are not in the ladder. 0, or -1 (reported).
 * ladder_free() in any case.
 */
int ladder_make(struct ladder *ladder, sqlite3 *handle, int64_t run_id);
void ladder_free(struct ladder *ladder);

/*
 * Writes the ladder of a run into its table `cause`, and the composition of its duration into
 * `account`: the causes' savings, the remaining time of the model, and `rest`, so that they add up
 * to the duration. 0, or -1 (reported).
 */
int ladder_write(sqlite3 *handle, int64_t run_id);

/*
 * The cause that saves most next to the ones taken out of `left`, and the resulting time of the
 * steps, or of the time outside of them; NULL: none saves 1 %.
 */
const struct cause *ladder_next(const struct ladder *ladder, struct step_left *left,
	double *after_s);

/*
 * A row for each rank, in which all is left; the caller frees it. NULL without memory (reported).
 */
struct step_left *ladder_all_left(const struct ladder *ladder);

/*
 * What the steps, and the time outside of them, take without causes: bit i of `without` is the
 * cause of index i. `left` has all; it is so again when this returns.
 */
struct ladder_times {
	double steps_s, outside_s;
};
struct ladder_times ladder_times_without(const struct ladder *ladder, unsigned without,
	struct step_left *left);

/*
 * Takes the causes out of `left` that fit the words of `what`, separated by blanks: cause=N (its
 * number in the ladder), rank=N, part=NAME, line=TEXT (contained in the place). Returns how many
 * do, -1 where the words are wrong (reported).
 */
int ladder_without(const struct ladder *ladder, const char *what, struct step_left *left);

#endif
