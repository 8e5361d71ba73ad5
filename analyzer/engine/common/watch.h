/*
 * watch.h - parking and waking: a track that waits for others is parked, and watches one that is behind.
 */
#ifndef ANALYZER_WATCH_H
#define ANALYZER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct device_process;
struct engine;
struct track;

/* Parked track `number` may be able to continue. */
void replay_wake(struct engine *engine, uint32_t number);

/* The next replay_leave() does not wait for events that are missing. */
void replay_force(struct track *track);

/* `waiting` is taken up again when `slow` has gone on, and come to t. False without memory. */
bool track_watch(struct track *slow, const struct track *waiting, int64_t t);

/*
 * First thread of the process but `self` that has not come to t (strictly past it: `past`); NULL:
 * all have.
 */
struct track *threads_behind(const struct track *self, const struct device_process *process,
	int64_t t, bool past);

/* Whether events of any location were lost. */
bool track_any_lost(const struct engine *engine);

/* Whether there is time of which only totals were kept. */
bool track_any_summed(const struct engine *engine);

#endif
