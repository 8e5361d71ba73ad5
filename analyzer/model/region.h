/* region.h - the class of a region, by its paradigm, role and name. */
#ifndef ANALYZER_REGION_H
#define ANALYZER_REGION_H

#include <string.h>

#include "model/model.h"

/* The rules of tacho's classification, for foreign and own archives alike. */
struct region region_classify(const struct in_region *in);

/*
 * Whether its paradigm alone makes it a call of a runtime: its name is none that is known, and it may be
 * a region of the program. Whether calls of the same kind within it are parts of it.
 */
bool region_may_be_around(const struct in_region *in);
bool region_keeps_inner(const struct in_region *in);

/*
 * Reads the events of an archive that has such regions. Those that other regions are entered in are of
 * the program from then on: a call of a runtime has nothing in it. Others may read the model's archive
 * later, in any process. 0, or -1 (reported).
 */
int regions_look(struct model *model);

/* A call's kind may depend on the call: I/O on a pipe or socket counts as waiting. */
static inline enum region_kind region_kind_of_call(const struct model *model,
	const struct region *region, const struct event *event)
{
	uint64_t wake;

	if ((region->kind != KIND_IO && region->kind != KIND_WAIT) ||
		!event_number(event, model->attributes[ATTRIBUTE_WAKE], &wake))
		return region->kind;
	if (wake)
		return region->kind == KIND_WAIT ? KIND_WAKE : KIND_IO;
	return event->carried & event_bit(model->attributes[ATTRIBUTE_PARTNER]) &&
			event_number(event, model->attributes[ATTRIBUTE_PARTNER], &wake)
		? KIND_SOCKET
		: KIND_WAIT;
}

/*
 * For a waiting or waking call: threads and their objects are local to the process, descriptors are
 * shared among relatives.
 */
static inline bool region_is_process_wide(const struct region *region)
{
	return strncmp(region->name, "pthread_", 8) == 0 || strncmp(region->name, "sem_", 4) == 0 ||
		strcmp(region->name, "thread end") == 0;
}

#endif
