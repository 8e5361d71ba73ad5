/*
 * control.h - what `tacho control` asks of a run while it continues: lines of the file RUN/control, which
 * every node sees and the helper thread inspects once a second.
 *
 *	TIME start	record calls from TIME on
 *	TIME stop	record none
 *
 * TIME is CLOCK_REALTIME in ns, some seconds after the line was written, so that all processes know
 * of it before. Other lines are for merge.
 */
#ifndef COLLECTOR_CONTROL_H
#define COLLECTOR_CONTROL_H

#include "core/span.h"

struct control_change {
	uint64_t at_ns;
	bool stops;
};

/* Reads the added lines. Returns whether a change was not followed yet. Keeps errno. */
bool control_read(void) HIDDEN;

/* The first change that was not followed, NULL: there is none. Any thread. */
const struct control_change *control_next(void) HIDDEN;

/* It has been followed. */
void control_follow(void) HIDDEN;

/* How many have been. */
uint32_t control_followed(void) HIDDEN;

#endif
