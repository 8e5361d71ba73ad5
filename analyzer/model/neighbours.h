/* neighbours.h - who gets data from whom in collectives of neighbours, as the archive says. */
#ifndef ANALYZER_NEIGHBOURS_H
#define ANALYZER_NEIGHBOURS_H

#include <stdbool.h>

#include "model/model.h"

/* Of one member of a communicator with a topology: places of others, sources first; NULL: not known. */
struct neighbours {
	uint32_t *places;
	uint32_t nsources, nall;
};

/* Reads those of all communicators (struct comm's). 0, or -1 without memory. */
int neighbours_build(struct model *model);
void neighbours_free(struct comm *comm);

#endif
