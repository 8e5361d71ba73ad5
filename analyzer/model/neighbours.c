/* neighbours.c - see neighbours.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/neighbours.h"
#include "tacho/trace.h"

/* Appends the places in a list, "1,3", that are in the communicator; where it ends. */
static const char *places_read(const char *text, uint32_t nmembers, uint32_t *places, uint32_t *n)
{
	char *end;

	for (;; text = end + 1) {
		unsigned long place = strtoul(text, &end, 10);

		if (end != text && place < nmembers)
			places[(*n)++] = (uint32_t)place;
		if (end == text || *end != ',')
			return end;
	}
}

/* A property of a process. 0, or -1 without memory. */
static int property_take(struct model *model, uint32_t process, const struct in_property *property)
{
	size_t prefix = strlen(PROPERTY_NEIGHBOURS);
	uint32_t at, place;
	struct comm *comm;
	struct neighbours of = { 0 };
	const char *end;

	if (strncmp(property->key, PROPERTY_NEIGHBOURS, prefix) != 0)
		return 0;
	at = model_comm(model, strtoull(property->key + prefix, NULL, 10));
	comm = at == MODEL_NONE ? NULL : &model->comms.at[at];
	place = comm && !comm->self ? model_comm_place(model, at, process) : MODEL_NONE;
	if (place == MODEL_NONE || (comm->neighbours && comm->neighbours[place].places))
		return 0;
	if (!comm->neighbours)
		comm->neighbours = calloc(comm->nall, sizeof(*comm->neighbours));
	of.places = malloc((strlen(property->value) + 1) * sizeof(*of.places));
	if (!comm->neighbours || !of.places) {
		free(of.places);
		return -1;
	}
	end = places_read(property->value, comm->nall, of.places, &of.nall);
	of.nsources = of.nall;
	if (*end == '/')
		places_read(end + 1, comm->nall, of.places, &of.nall);
	comm->neighbours[place] = of;
	return 0;
}

int neighbours_build(struct model *model)
{
	for (size_t i = 0; i < model->processes.n; i++) {
		const in_properties *properties = &model->processes.at[i].group->properties;

		for (size_t k = 0; k < properties->n; k++)
			if (property_take(model, (uint32_t)i, &properties->at[k]) < 0)
				return -1;
	}
	return 0;
}

void neighbours_free(struct comm *comm)
{
	for (uint32_t i = 0; comm->neighbours && i < comm->nall; i++)
		free(comm->neighbours[i].places);
	free(comm->neighbours);
}
