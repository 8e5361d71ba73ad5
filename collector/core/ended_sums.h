/*
 * ended_sums.h - spools that consist of totals only (include/tacho/totals.h): they represent ended
 * threads and children after the removal of their files. ended.c and ended_threads.c choose them.
 */
#ifndef COLLECTOR_ENDED_SUMS_H
#define COLLECTOR_ENDED_SUMS_H

#include <limits.h>
#include <stddef.h>

#include "core/span.h"
#include "tacho/slot.h"
#include "tacho/totals.h"

/* A folder of spools on this node: <directory>/<host>.<pid>.<k>. */
struct spool_folder {
	uint32_t pid, k;
};

#define PLACE_OWN UINT32_MAX /* as k: the process's own folder */

/* A file, mapped. */
struct mapped {
	const char *at; /* NULL: there is none */
	size_t size;
};

/*
 * Once the process has joined: where the folders are, but its own, which needs no such start.
 * False: it is not known.
 */
bool places_start(void) HIDDEN;

/* Part of the names of all folders of this node: "<host>."; the directory that they are in. */
const char *places_prefix(void) HIDDEN;
const char *places_directory(void) HIDDEN;

/* The path of a file in the folder. False: it is too long. */
bool place_path(char path[PATH_MAX], const struct spool_folder *place, const char *file) HIDDEN;

/* A descriptor, or -1 with errno. */
int place_open(const struct spool_folder *place, const char *file, int flags) HIDDEN;

struct mapped place_map(const struct spool_folder *place, const char *file) HIDDEN;
void mapped_close(const struct mapped *mapped) HIDDEN;

/*
 * Adds what spool `number` of the folder has, in chunks and in totals, to `sums`, and its losses to
 * `lost`; `room` is for its own totals meanwhile. False: it did more than can be added.
 */
bool ended_spool_add(const struct spool_folder *place, unsigned number, struct totals_sums *sums,
	struct totals_sums *room, uint64_t lost[LOSS_COUNT]) HIDDEN;

/* The same of the first thread of a process that has recorded in its slot. */
bool ended_slot_add(const struct slot *slot, struct totals_sums *sums, struct totals_sums *room,
	uint64_t lost[LOSS_COUNT]) HIDDEN;

/* The head of spool `number` of the folder. False: there is none. */
bool ended_head_read(const struct spool_folder *place, unsigned number,
	struct spool_head *head) HIDDEN;

/* Makes spool `number` called `name`, with a head like `model`. */
bool ended_spool_make(const struct spool_folder *place, unsigned number, const char *name,
	const struct spool_head *model) HIDDEN;

/* Makes its totals, and maps them. NULL without room. */
struct totals *ended_totals_make(const struct spool_folder *place, unsigned number) HIDDEN;

/* Losses of the records in its totals are its own. */
void ended_lost_add(const struct spool_folder *place, unsigned number,
	const uint64_t lost[LOSS_COUNT]) HIDDEN;

#endif
