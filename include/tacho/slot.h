/*
 * slot.h - the file `children.<n>` in the folder of a process that forks: a slot for each child, in which
 * it begins without making a file. Written by libtacho, read by merge and watch.
 *
 * A child takes a free slot and is a process as any other, called <host>.<pid>.<k>. It makes that folder
 * once it has more than the slot has room for. Its files there continue the slot:
 *
 *   process     has the definitions after the ones in the slot.
 *   thread.0    has all records of the first thread, with the slot's, and counts instead of
 *               the slot's from the moment on at which its head has its magic.
 *   state       is never made: the slot has it.
 *
 * So a child that is killed at any moment is read once, with all of its records.
 */
#ifndef TACHO_SLOT_H
#define TACHO_SLOT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "tacho/spool.h"

#define SLOTS_NAME	 "children." /* and n */
#define SLOTS_MAGIC	 "TACHOSLT"
#define SLOTS_HEAD_SIZE	 4096u
#define SLOTS_PROPERTIES 64u	/* bytes from the file's begin: where the properties are */
#define SLOTS_MOST	 4000u	/* files of a process */
#define SLOT_SIZE	 6144u	/* bytes */
#define SLOT_DEFINITIONS 1536u	/* of them those for definitions */
#define SLOT_FIRST_K	 10000u /* folders that a process makes when it joins have lower numbers */

/* Begins the file. */
struct slots {
	char magic[8]; /* SLOTS_MAGIC, written last */
	uint32_t version;
	uint32_t number;	/* <n> of the file name */
	uint32_t n;		/* slots */
	_Atomic uint32_t free;	/* of them */
	_Atomic uint32_t taken; /* attempts so far to take one; a slot may be taken again */
	uint32_t
		nproperties; /* definitions that all children share, with the ids 1 … nproperties */
	uint32_t properties; /* their bytes */
};

struct slot {
	_Alignas(8) char magic[8]; /* SPOOL_MAGIC, written last */
	_Atomic uint32_t pid;	   /* 0: it is free */
	uint32_t k;
	uint32_t is_claimed; /* as the file `claim` of a folder */
	uint32_t reserved;
	struct spool_state state;
	struct spool_head head; /* without its magic: no thread has recorded */
	/* as in the file `process`, up to a size of 0 */
	_Alignas(8) unsigned char definitions[SLOT_DEFINITIONS];
	uint64_t records[]; /* up to SLOT_SIZE */
};

#define SLOT_RECORDS (SLOT_SIZE - offsetof(struct slot, records)) /* bytes */

_Static_assert(sizeof(struct slot) + 2048 <= SLOT_SIZE, "a third of a slot is for records");

/* Slot i of a file. */
static inline struct slot *slot_at(const struct slots *file, uint32_t i)
{
	return (struct slot *)(void *)((char *)(uintptr_t)file + SLOTS_HEAD_SIZE +
		(size_t)i * SLOT_SIZE);
}

static inline size_t slots_size(uint32_t n)
{
	return SLOTS_HEAD_SIZE + (size_t)n * SLOT_SIZE;
}

#endif
