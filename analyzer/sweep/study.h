/*
 * study.h - the parts of a study: a command with places for numbers of ranks and values of knobs,
 * and the points that follow from them. It runs nothing.
 */
#ifndef ANALYZER_SWEEP_STUDY_H
#define ANALYZER_SWEEP_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers.h"

enum study_launcher { LAUNCH_NONE, LAUNCH_MPIRUN, LAUNCH_SRUN, LAUNCH_SBATCH, LAUNCH_TORCHRUN };
#define STUDY_LAUNCHERS "none|mpirun|srun|sbatch|torchrun" /* their names, in this order */

/* What the best of the points is sought by, of which less is better. */
enum study_search { SEARCH_NONE, SEARCH_TIME, SEARCH_STEP, SEARCH_TARGET };
#define STUDY_SEARCHES "none|time|step|target"

typedef ARRAY_OF(char *) study_texts;

/* How the name and the values of a list are shown, and where the command has {name}. */
struct study_knob {
	char *name;
	study_texts values;
};

struct study {
	char *folder;
	char *target;	  /* of the training: loss=0.5; NULL: not given */
	char *step_range; /* NVTX ranges of this name are the steps; NULL: not given */
	study_texts command;
	unsigned launcher;
	unsigned search;
	study_texts ranks, nodes; /* none: they are not varied */
	ARRAY_OF(struct study_knob) knobs;
	int repeat;   /* runs of a point; in a search, of each round; 0: not given */
	int64_t seed; /* of the order */
};

/* More points, and more runs, are refused. */
#define POINTS_MOST 100000

#define STUDY_DEFAULTS                                                                             \
	{                                                                                          \
		.seed = 1                                                                          \
	}

/* Lists of texts, which they own. 0, or -1 (reported). */
int study_text_add(study_texts *texts, const char *text, size_t length);
void study_texts_free(study_texts *texts);

/* One line of a study's file, or an option: key is ranks, nodes, knob.NAME, command… 0, or -1 (reported). */
int study_set(struct study *study, const char *key, const char *value);

/* Reads such lines, key = value, from a file. 0, or -1 (reported). */
int study_read(struct study *study, const char *path);

/* Another word of the command. 0, or -1 (reported). */
int study_word_add(struct study *study, const char *word);

/*
 * Whether the study can be run: no placeholder is unknown, nothing is missing. Values that were not
 * given get their defaults. 0, or -1 (reported).
 */
int study_check(struct study *study);

/* The words of STUDY_LAUNCHERS and STUDY_SEARCHES. */
extern const char *const study_launchers[], *const study_searches[];

/* The study as the lines that it can be read from, to be freed; NULL without memory. */
char *study_text(const struct study *study);

void study_free(struct study *study);

/* One combination of the varied values. */
struct study_point {
	const char *ranks, *nodes; /* NULL: not given */
	const char **values;	   /* of the knobs, in their order */
};

/* All of them; the first varies slowest. 0, or -1 (reported). */
size_t study_npoints(const struct study *study);
int study_point_get(const struct study *study, size_t number, struct study_point *point);

/* How a point is called in reports: "batch=32 fusion=1-n4", "gnmt-n4". To be freed; NULL without memory. */
char *study_point_label(const struct study *study, const struct study_point *point);

/* The same with its number, fit to be a file's name: 03-n4-fusion=1. */
char *study_point_file(const struct study *study, size_t number, const struct study_point *point);

/*
 * The command of a point with its launcher, NULL-terminated, to be freed by study_argv_free(); NULL
 * without memory (reported).
 */
char **study_argv(const struct study *study, const struct study_point *point);
void study_argv_free(char **argv);

#endif
