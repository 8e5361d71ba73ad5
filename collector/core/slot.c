/* slot.c - see slot.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/budget.h"
#include "core/chunk.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/sandbox.h"
#include "core/slot.h"
#include "core/sys.h"
#include "core/task.h"

#define SLOTS_FIRST  8u	 /* of the first file; each has twice as many as the one before, … */
#define DOUBLED_MOST 5u	 /* …this often */
#define BUDGET_OF    8u	 /* slots may have this part of a rank's share */
#define FILES_MADE   64u /* of a run within a budget: its process reads and frees their slots */
#define SERIALS	     (1u << 20) /* of the numbers of a file's children */

static struct {
	struct slots *file; /* mapped: made by this process or an ancestor */
	struct slot *own;   /* NULL: the process has begun in a folder */
	uint32_t maker;	    /* pid of the file's owner */
	uint32_t nfiles;    /* that this process has made, and bytes of them */
	uint64_t bytes;
	struct slots *made[FILES_MADE]; /* of a run within a budget */
	_Atomic bool is_busy;		/* a thread makes a file */
	/* of all children alike */
	uint32_t nproperties, properties;
	char shared[SLOTS_HEAD_SIZE - SLOTS_PROPERTIES];
} slots;

void slots_share(const char *definitions, size_t size)
{
	slots.nproperties = slots.properties = 0;
	for (size_t at = 0; at + sizeof(struct spool_def) <= size;) {
		struct spool_def def;

		memcpy(&def, definitions + at, sizeof(def));
		if (def.size < sizeof(def) || def.size > size - at)
			return;
		if (def.type == DEF_PROPERTY &&
			slots.properties + def.size <= sizeof(slots.shared)) {
			def.id = ++slots.nproperties;
			memcpy(slots.shared + slots.properties, definitions + at, def.size);
			memcpy(slots.shared + slots.properties, &def, sizeof(def));
			slots.properties += def.size;
		}
		at += def.size;
	}
}

uint32_t slots_shared(void)
{
	return slots.nproperties;
}

const char *slots_properties(size_t *size)
{
	*size = slots.properties;
	return slots.shared;
}

/* Children keep the earlier file mapped; this process needs it only in a run within a budget. */
static void file_leave(void)
{
	if (slots.file && slots.maker == tacho_process.pid && !budget_slot_size())
		sys_munmap(slots.file, slots_size(slots.file->n));
}

static void file_fill(struct slots *file, uint32_t n)
{
	file->version = SPOOL_VERSION;
	file->number = slots.nfiles;
	file->n = n;
	file->nproperties = slots.nproperties;
	file->properties = slots.properties;
	memcpy((char *)file + SLOTS_PROPERTIES, slots.shared, slots.properties);
	atomic_store(&file->free, n);
	memcpy(file->magic, SLOTS_MAGIC, sizeof(file->magic));
}

/* Slots of the next file. */
static uint32_t next_slots(void)
{
	return SLOTS_FIRST << (slots.nfiles < DOUBLED_MOST ? slots.nfiles : DOUBLED_MOST);
}

/* In a task. */
static void file_make(void *arg __attribute__((unused)))
{
	uint32_t n = next_slots();
	struct slots *file;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), SLOTS_NAME "%u", slots.nfiles);
	fd = process_file_open(name, O_RDWR | O_CREAT | O_EXCL);
	file = fd < 0 ? NULL : file_map(fd, 0, slots_size(n));
	if (fd >= 0)
		sys_close(fd);
	if (!file)
		return;
	file_fill(file, n);
	file_leave();
	if (budget_slot_size())
		slots.made[slots.nfiles] = file;
	slots.nfiles++;
	slots.bytes += slots_size(n);
	slots.maker = tacho_process.pid;
	slots.file = file;
}

/* Whether another file may be made: of a run within a budget the slots are read and freed by its rank alone. */
static bool may_make(void)
{
	uint64_t share = budget_limit();

	if (!budget_slot_size())
		return slots.nfiles < SLOTS_MOST;
	return !tacho_process.is_child && slots.nfiles < FILES_MADE &&
		slots.bytes + slots_size(next_slots()) <= share / BUDGET_OF;
}

/* Whether children have slots. */
static bool has_free(void)
{
	if (slots.file && atomic_load(&slots.file->free))
		return true;
	for (uint32_t i = 0; budget_slot_size() && i < slots.nfiles; i++)
		if (atomic_load(&slots.made[i]->free)) { /* again */
			slots.file = slots.made[i];
			return true;
		}
	return false;
}

void slots_prepare(void)
{
	int saved = errno;

	if (sandbox_is_on() || !tacho_process.is_open || tacho_process.pid != sys_pid() ||
		has_free() || !may_make() || atomic_exchange(&slots.is_busy, true))
		return;
	task_run(file_make, NULL);
	atomic_store(&slots.is_busy, false);
	errno = saved;
}

void slots_end(void)
{
	/* earlier ones are taken */
	struct slots *file = budget_slot_size() && slots.nfiles ? slots.made[slots.nfiles - 1]
								: slots.file;
	uint32_t taken;
	char name[32];
	int fd;

	if (!file || slots.maker != tacho_process.pid)
		return;
	/* from here on no descendant takes one: each has counted itself before it saw a free one */
	atomic_store(&file->free, 0);
	taken = atomic_load(&file->taken);
	if (taken >= file->n)
		return;
	snprintf(name, sizeof(name), SLOTS_NAME "%u", file->number);
	budget_add(-(int64_t)(slots_size(file->n) - (taken ? slots_size(taken) : 0)));
	if (!taken) {
		process_file_remove(name);
		return;
	}
	fd = process_file_open(name, O_RDWR);
	if (fd < 0)
		return;
	sys_ftruncate(fd, (int64_t)slots_size(taken));
	sys_close(fd);
}

/* One less is free. False: none was. */
static bool free_take(struct slots *file)
{
	uint32_t n = atomic_load(&file->free);

	while (n && !atomic_compare_exchange_weak(&file->free, &n, n - 1))
		;
	return n > 0;
}

struct slot *slot_take(void)
{
	struct slots *file = slots.file;
	uint32_t serial;

	slots.own = NULL;
	slots.nfiles = 0;
	slots.bytes = 0;
	slots.is_busy = false;
	if (!file || !atomic_load(&file->free))
		return NULL;
	serial = atomic_fetch_add(&file->taken, 1);
	if (!free_take(file))
		return NULL;
	for (uint32_t i = 0; i < file->n; i++) {
		struct slot *slot = slot_at(file, (serial + i) % file->n);
		uint32_t seen = 0;

		if (!atomic_compare_exchange_strong(&slot->pid, &seen, sys_pid()))
			continue;
		slot->k = SLOT_FIRST_K + file->number * SERIALS + serial % SERIALS;
		slots.own = slot;
		return slot;
	}
	return NULL;
}

struct slot *slot_own(void)
{
	return slots.own;
}

struct slot *slot_made(uint32_t i)
{
	for (uint32_t k = 0; budget_slot_size() && k < slots.nfiles; k++) {
		struct slots *file = slots.made[k];

		if (i < file->n)
			return slot_at(file, i);
		i -= file->n;
	}
	return NULL;
}

void slot_leave(struct slot *slot)
{
	memset(slot->magic, 0, sizeof(slot->magic)); /* first: it is no process any more */
	memset((char *)&slot->state, 0, SLOT_SIZE - offsetof(struct slot, state));
	atomic_store(&slot->pid, 0);
	for (uint32_t i = 0; i < slots.nfiles; i++)
		if ((const char *)slot > (const char *)slots.made[i] &&
			(const char *)slot <
				(const char *)slots.made[i] + slots_size(slots.made[i]->n))
			atomic_fetch_add(&slots.made[i]->free, 1);
}
