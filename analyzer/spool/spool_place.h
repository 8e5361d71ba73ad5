/*
 * spool_place.h - where the recorded processes of a run are: in a folder each, and forked children in slots
 * of the folder of the process that forked them (include/tacho/slot.h), which may go on in a folder, too.
 * Everybody who reads spools finds processes here.
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
	char *folder; /* the name of its own, whether it has made that or not: <hostname>.<pid>.<k> */
	char *slots; /* the file with its slot; NULL: it has none */
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

/* A slot, mapped; what it is for may have ended meanwhile. */
struct spool_slot_map {
	const struct slot *slot; /* NULL: it is not there */
	void *map;
	size_t size;
};

struct spool_slot_map spool_slot_open(const struct spool_place *place);
void spool_slot_close(struct spool_slot_map *slot);

/* Bytes of whole definitions that `most` bytes begin with. */
size_t spool_slot_defs_size(const unsigned char *at, size_t most);

/*
 * All definitions of a process in a slot, as if they were in one file `defs`: of the slot, of all children
 * alike, and of the file. Mapped; NULL without memory.
 */
void *spool_slot_defs(const struct spool_place *place, const struct slot *slot, const char *defs,
	size_t *size);

#endif
