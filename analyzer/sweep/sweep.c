/*
 * sweep.c - see sweep.h: the points and runs of a study. sweep_round.c does the runs that are left.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "sweep/sweep.h"
#include "sweep/sweep_round.h"
#include "sweep/sweep_search.h"
#include "sweep/sweep_signal.h"
#include "sweep/sweep_state.h"

/* --- points and runs --- */

static int point_add(struct sweep *sweep, size_t number)
{
	const struct study *study = sweep->study;
	struct study_point *point = &sweep->points[number];
	char *file;

	if (study_point_get(study, number, point) < 0)
		return -1;
	file = study_point_file(study, number, point);
	sweep->labels[number] = study_point_label(study, point);
	for (size_t i = 0; file && i < sweep->depth; i++) {
		struct sweep_run *run = &sweep->runs[sweep->nruns++];

		*run = (struct sweep_run){ .point = number, .repetition = (int)i };
		if (asprintf(&run->name, "%s-r%zu", file, i + 1) < 0) {
			run->name = NULL;
			free(file);
			file = NULL;
		}
	}
	if (!file || !sweep->labels[number])
		log_error("out of memory");
	free(file);
	return file && sweep->labels[number] ? 0 : -1;
}

int sweep_open(struct sweep *sweep, struct study *study)
{
	size_t n = study_npoints(study);

	*sweep = (struct sweep){ .study = study, .npoints = n, .state = -1, .lock = -1 };
	sweep->depth = study->search ? sweep_search_depth(study) : (size_t)study->repeat;
	sweep->planned = study->search ? sweep_search_planned(study) : n * sweep->depth;
	sweep->left = study->search ? calloc(n, sizeof(*sweep->left)) : NULL;
	sweep->points = calloc(n, sizeof(*sweep->points));
	sweep->labels = calloc(n, sizeof(*sweep->labels));
	sweep->runs = calloc(n * sweep->depth, sizeof(*sweep->runs));
	if (!sweep->points || !sweep->labels || !sweep->runs || (study->search && !sweep->left)) {
		log_error("out of memory");
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		if (point_add(sweep, i) < 0)
			return -1;
	if (sweep_state_open(sweep) < 0)
		return -1;
	sweep_left_end(sweep);
	return 0;
}

void sweep_close(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->nruns; i++) {
		free(sweep->runs[i].name);
		free(sweep->runs[i].job);
	}
	for (size_t i = 0; sweep->points && sweep->labels && i < sweep->npoints; i++) {
		free(sweep->points[i].values);
		free(sweep->labels[i]);
	}
	free(sweep->points);
	free(sweep->labels);
	free(sweep->runs);
	free(sweep->left);
	free(sweep->folder);
	if (sweep->state >= 0)
		close(sweep->state);
	if (sweep->lock >= 0)
		close(sweep->lock);
}

int sweep_go(struct sweep *sweep)
{
	size_t done = sweep_count(sweep, SWEEP_DONE);

	if (log_level >= LOG_NORMAL)
		fprintf(stderr, "%s: %zu points, %zu runs%s, order by seed %lld",
			sweep->study->folder, sweep->npoints, sweep->planned,
			sweep->planned > 1 ? " in mixed order" : "", (long long)sweep->study->seed);
	if (log_level >= LOG_NORMAL)
		fprintf(stderr, done ? "; %zu done already\n" : "\n", done);
	sweep_signals_take();
	return sweep->study->search ? sweep_search(sweep)
				    : sweep_round(sweep, NULL, 0, sweep->depth);
}
