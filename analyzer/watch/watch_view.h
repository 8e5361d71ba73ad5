/*
 * watch_view.h - the figures of a run in progress, from one poll (live.h), and their output: on a
 * terminal, as a line, as JSON, as a metrics file.
 */
#ifndef ANALYZER_WATCH_VIEW_H
#define ANALYZER_WATCH_VIEW_H

#include <stdio.h>

#include "watch/live.h"

enum view_life { VIEW_RUNS, VIEW_ENDED, VIEW_SILENT };

struct view_rank {
	const struct live_process *process;
	enum view_life life;
	bool has_shares;
	double share[HOST_STATE_COUNT];	   /* of the interval */
	double steps_per_s, samples_per_s; /* of the last seconds; NAN: not known */
	double inside_s;		   /* in the call, or since the last one ended; NAN */
};

struct view_gpu {
	char number[12];
	double util, watts; /* %; NAN: not known */
};

enum view_rate {
	VIEW_FILES_READ, /* calls on files */
	VIEW_FILES_WRITTEN,
	VIEW_STORAGE_READ, /* counters of disks and network file systems */
	VIEW_STORAGE_WRITTEN,
	VIEW_SENT, /* counters of interfaces */
	VIEW_RECEIVED,
	VIEW_RATE_COUNT
};

struct view_node {
	const char *hostname;
	double rate[VIEW_RATE_COUNT]; /* bytes per second; NAN: not known */
	ARRAY_OF(struct view_gpu) gpus;
};

struct view {
	const char *run;  /* its name */
	const char *hang; /* the verdict, NULL: there is none */
	double elapsed_s; /* since the first process began; NAN */
	bool is_over;
	ARRAY_OF(struct view_rank) ranks;
	ARRAY_OF(struct view_node) nodes;
	size_t nchildren, nsilent, nended;
	uint64_t lost;
	double share[HOST_STATE_COUNT]; /* mean over ranks */
	bool has_shares;
	double steps_per_s, samples_per_s; /* mean over ranks, sum of ranks; NAN */
	const struct view_rank *slowest;   /* NULL: no rank is clearly slower */
};

extern const char *const view_rate_names[VIEW_RATE_COUNT];

/* 0, or -1 without memory (reported). */
int view_make(struct view *view, const struct live *live);
void view_free(struct view *view);

/* The run is over: ranks that have not ended give no sign of life any more. */
void view_end(struct view *view);

/*
 * For a terminal of so many lines and columns; every line ends with an erase of its rest. Without
 * columns all of it as plain text.
 */
void view_print(const struct view *view, FILE *out, int lines, int columns);

/* In one line, without its end. */
void view_line(const struct view *view, FILE *out);
void view_json(const struct view *view, FILE *out); /* on one line */

/* Replaces the file in one step. 0, or -1 (reported). */
int view_openmetrics(const struct view *view, const char *path);

#endif
