/*
 * watch_hang.c - see watch_hang.h. The verdict needs all that was recorded, so it is asked for only
 * when nothing moves, and ever more seldom while that is so.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/guard.h"
#include "base/log.h"
#include "merge/where/where.h"
#include "watch/watch_hang.h"

enum { TEXT_MOST = 2000, JOBS = 1, COST = 50 /* times the time that a verdict takes */ };

static int64_t least; /* of the verdict that is being made */
static int verdict_fd;

static int verdict_write(const struct merge *m)
{
	struct where where;
	enum where_verdict verdict;
	char *text = NULL;
	ssize_t n = 0;

	if (where_read(&where, m, JOBS) == 0) {
		where.marks_ages = true;
		text = where_text(&where, least, &verdict);
	}
	if (text && where_matters(verdict))
		n = write(verdict_fd, text, strnlen(text, TEXT_MOST));
	where_free(&where);
	free(text);
	return n < 0 ? -1 : 0;
}

static int verdict_make(void *run)
{
	log_level = LOG_QUIET;
	if (nice(10) == -1)
		log_debug("the verdict is made at full priority");
	return merge_visit(run, JOBS, verdict_write);
}

/* Runs in a child process, since the recorded data may be large or damaged. */
static char *verdict_ask(const char *run)
{
	char text[TEXT_MOST + 1];
	struct guard at;
	int ends[2];
	ssize_t n;

	if (pipe(ends) < 0)
		return NULL;
	verdict_fd = ends[1];
	guard_run(verdict_make, (void *)(uintptr_t)run, 0, &at);
	close(ends[1]);
	n = read(ends[0], text, TEXT_MOST);
	close(ends[0]);
	return n > 0 ? strndup(text, (size_t)n) : NULL;
}

/* Whether a rank ended a step within the time. */
static bool stepped(const struct view_rank *rank, int64_t ns)
{
	const struct live_process *p = rank->process;

	return p->nsteps &&
		(double)(p->now - p->step_ends[(p->nsteps - 1) % LIVE_STEPS]) * p->ns_per_tick <
		(double)ns;
}

/*
 * Whether a rank has been in a call that others have a part in for so long, and none has ended a step
 * meanwhile.
 */
static bool stands_still(const struct hang *hang, const struct view *view)
{
	bool waits = false;

	for (size_t i = 0; i < view->ranks.n; i++) {
		const struct view_rank *rank = &view->ranks.at[i];
		enum host_state state = live_state(rank->process, rank->process->inside, 0);

		if (rank->life != VIEW_RUNS)
			continue;
		if (stepped(rank, hang->least))
			return false;
		waits |= rank->inside_s * 1e9 >= (double)hang->least &&
			(state == HOST_MPI || state == HOST_GLOO || state == HOST_CUDA);
	}
	return waits;
}

void hang_look(struct hang *hang, struct view *view, const char *run)
{
	int64_t now = clock_now_ns(CLOCK_MONOTONIC);

	if (!stands_still(hang, view)) {
		hang->next_ns = 0;
		free(hang->text);
		hang->text = NULL;
	} else if (now >= hang->next_ns) {
		free(hang->text);
		least = hang->least;
		hang->made_ns = now;
		hang->text = verdict_ask(run);
		hang->next_ns = clock_now_ns(CLOCK_MONOTONIC) +
			(clock_now_ns(CLOCK_MONOTONIC) - now) * COST + hang->least;
	}
	free(hang->shown);
	hang->shown = hang->text
		? where_ages_fill(hang->text, clock_now_ns(CLOCK_MONOTONIC) - hang->made_ns)
		: NULL;
	view->hang = hang->shown;
}

void hang_free(struct hang *hang)
{
	free(hang->text);
	free(hang->shown);
}
