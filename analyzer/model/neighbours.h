/* neighbours.h - sources and destinations in neighbourhood collectives, from the archive. */
#ifndef ANALYZER_NEIGHBOURS_H
#define ANALYZER_NEIGHBOURS_H

#include <stdbool.h>

#include "model/model.h"

/*
 * For one member of a communicator with a topology: positions of the neighbours, sources first;
 * NULL: unknown.
 */
struct neighbours {
	uint32_t *places;
	uint32_t nsources, nall;
};

/* Reads the neighbours of all communicators (struct comm's). 0, or -1 without memory. */
int neighbours_build(struct model *model);
void neighbours_free(struct comm *comm);

#endif
