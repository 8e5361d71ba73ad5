/* where_comm.c - names of communicators; see where.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "merge/where/where.h"

const char *where_comm_name(const struct where *where, uint32_t comm, char *text, size_t size)
{
	const struct merge_comm *c = comm == NONE ? NULL : &where->merge->comms[comm];

	if (!c)
		return "";
	if (c->name && *c->name)
		return c->name;
	if (c->kind == COMM_WORLD)
		return "MPI_COMM_WORLD";
	snprintf(text, size, "communicator %" PRIu32, comm);
	return text;
}
