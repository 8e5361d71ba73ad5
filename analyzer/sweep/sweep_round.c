/*
 * sweep_round.c - see sweep_round.h: the order of the runs, the next run, and messages meanwhile.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "sweep/sweep_round.h"
#include "sweep/sweep_run.h"
#include "sweep/sweep_signal.h"
#include "sweep/sweep_state.h"

size_t sweep_count(const struct sweep *sweep, enum sweep_end end)
{
	size_t n = 0;

	for (size_t i = 0; i < sweep->nruns; i++)
		n += sweep->runs[i].end == end;
	return n;
}

/* --- the order --- */

/* The next of Marsaglia's xorshift64*. */
static uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ull;
}

/*
 * The numbers of the runs `from` to `to` of the points that are in: the first of all points in mixed
 * order, then the second ones, so that what changes slowly on the machine falls on all points alike.
 */
static size_t *order_make(const struct sweep *sweep, const bool *in, size_t from, size_t to,
	size_t *n)
{
	size_t *order = calloc(sweep->npoints * (to - from) + 1, sizeof(*order));

	*n = 0;
	for (size_t r = from; order && r < to; r++) {
		uint64_t state = hash_mix((uint64_t)sweep->study->seed, r + 1) | 1;
		size_t *block = order + *n, m = 0;

		for (size_t i = 0; i < sweep->npoints; i++) {
			size_t k;

			if (in && !in[i])
				continue;
			k = random_next(&state) % (m + 1);
			block[m++] = block[k];
			block[k] = i * sweep->depth + r;
		}
		*n += m;
	}
	if (!order)
		log_error("out of memory");
	return order;
}

/* --- messages --- */

static void time_print(FILE *out, double seconds)
{
	if (seconds < 100)
		fprintf(out, "%.1f s", seconds);
	else if (seconds < 6000)
		fprintf(out, "%.0f min", seconds / 60);
	else
		fprintf(out, "%.1f h", seconds / 3600);
}

/* What a run of the point will take: as long as others of it did, or as all did. Below 0: not known. */
static double run_expected(const struct sweep *sweep, size_t point)
{
	double own = 0, all = 0;
	size_t nown = 0, nall = 0;

	for (size_t i = 0; i < sweep->nruns; i++) {
		const struct sweep_run *run = &sweep->runs[i];

		if (run->end != SWEEP_DONE)
			continue;
		all += run->seconds;
		nall++;
		if (run->point == point) {
			own += run->seconds;
			nown++;
		}
	}
	return nown ? own / (double)nown : nall ? all / (double)nall : -1;
}

static double time_left(const struct sweep *sweep)
{
	double left = 0, all = 0;
	size_t nchosen = 0, ndone = 0;

	for (size_t i = 0; i < sweep->nruns; i++) {
		const struct sweep_run *run = &sweep->runs[i];

		nchosen += run->wanted;
		ndone += run->end == SWEEP_DONE;
		all += run->end == SWEEP_DONE ? run->seconds : 0;
		if (run->wanted && run->end == SWEEP_OPEN)
			left += run_expected(sweep, run->point);
	}
	if (ndone && sweep->planned > nchosen)
		left += (double)(sweep->planned - nchosen) * all / (double)ndone;
	return left;
}

static void run_name_print(const struct sweep *sweep, const struct sweep_run *run, bool again)
{
	fprintf(stderr, "[%zu/%zu] %s",
		sweep->nruns - sweep_count(sweep, SWEEP_OPEN) + (run->end == SWEEP_OPEN),
		sweep->planned, sweep->labels[run->point]);
	if (sweep->depth > 1)
		fprintf(stderr, ", repetition %d", run->repetition + 1);
	if (again)
		fputs(", again", stderr);
}

/* On a terminal the run in progress, which the line about its end replaces. */
static void begin_say(const struct sweep *sweep, const struct sweep_run *run)
{
	if (log_level < LOG_NORMAL || !isatty(STDERR_FILENO))
		return;
	run_name_print(sweep, run, run->tries > 0);
	fputs(" …", stderr);
}

static void end_say(const struct sweep *sweep, const struct sweep_run *run,
	const struct sweep_tried *tried)
{
	double left = time_left(sweep);

	if (log_level < LOG_NORMAL)
		return;
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	run_name_print(sweep, run, run->tries > (tried->why != NULL));
	fputs(": ", stderr);
	if (tried->why)
		fprintf(stderr, "failed, status %d (%s), see " SWEEP_RUNS "/%s%s.log; ",
			tried->status, tried->why, run->name, run->tries > 1 ? ".2" : "");
	time_print(stderr, tried->seconds);
	if (left > 0) {
		fputs(", left ", stderr);
		time_print(stderr, left);
	}
	fputc('\n', stderr);
}

/* --- one after the other --- */

static int run_once(struct sweep *sweep, struct sweep_run *run)
{
	struct sweep_tried tried;

	begin_say(sweep, run);
	if (sweep_state_add(sweep, "begin %s\n", run->name) < 0 ||
		sweep_run_try(sweep, run, &tried) < 0)
		return -1;
	/* a run that a signal ended did not fail */
	if (sweep_signal())
		return sweep_signal();
	free(run->job);
	run->job = NULL;
	run->seconds = tried.seconds;
	run->end = tried.why ? SWEEP_FAILED : SWEEP_DONE;
	run->status = tried.status;
	run->tries += tried.why != NULL;
	end_say(sweep, run, &tried);
	return tried.why ? sweep_state_add(sweep, "failed %s %d %.3f %s\n", run->name, tried.status,
				   tried.seconds, tried.why)
			 : sweep_state_add(sweep, "done %s %.3f\n", run->name, tried.seconds);
}

/* All that are open, or that failed once. */
static int pass(struct sweep *sweep, const size_t *order, size_t n, enum sweep_end end)
{
	int ret = 0;

	for (size_t i = 0; i < n && ret == 0; i++) {
		struct sweep_run *run = &sweep->runs[order[i]];

		if (run->end == end && run->tries < SWEEP_TRIES)
			ret = sweep_signal() ? sweep_signal() : run_once(sweep, run);
	}
	return ret;
}

int sweep_round(struct sweep *sweep, const bool *in, size_t from, size_t to)
{
	size_t n, *order = order_make(sweep, in, from, to, &n);
	int ret = order ? 0 : -1;

	for (size_t i = 0; i < n && order; i++)
		sweep->runs[order[i]].wanted = true;
	if (ret == 0)
		ret = pass(sweep, order, n, SWEEP_OPEN);
	if (ret == 0)
		ret = pass(sweep, order, n, SWEEP_FAILED);
	free(order);
	return ret;
}
