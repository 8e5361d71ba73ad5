/*
 * spool_place.h - where the recorded processes of a run are: in a folder each, and forked children in slots
 * of their parent's folder (include/tacho/slot.h). A child that outgrows its slot has a folder as well.
 * All readers of spools find processes here.
 */
#ifndef ANALYZER_SPOOL_PLACE_H
#define ANALYZER_SPOOL_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers.h"
#include "tacho/slot.h"

struct spool_place {
	char *dir;    /* the folder of all folders */
	char *folder; /* its name, <hostname>.<pid>.<k>; a process in a slot may not have made it */
	char *slots;  /* the file with its slot; NULL: it has none */
	uint32_t slot;
};

struct spool_places {
	struct spool_place *at;
	size_t n, cap;
};

/*
 * Adds the processes that are in folder `dir`, by the names of their folders. 0; -1 with errno where it
 * cannot be read, or without memory.
 */
int spool_places_add(struct spool_places *places, const char *dir);
void spool_places_free(struct spool_places *places);

/* A slot, mapped. */
struct spool_slot_map {
	const struct slot *slot; /* NULL: the file has no such slot */
	void *map;
	size_t size;
};

struct spool_slot_map spool_slot_open(const struct spool_place *place);
void spool_slot_close(struct spool_slot_map *slot);

/* Bytes of whole definitions that `most` bytes begin with. */
size_t spool_slot_defs_size(const unsigned char *at, size_t most);

/*
 * All definitions of a process in a slot, one after the other: the slot's, the common ones of the file of
 * slots, and those in the file `defs`. Mapped; NULL without memory.
 */
void *spool_slot_defs(const struct spool_place *place, const struct slot *slot, const char *defs,
	size_t *size);

#endif
