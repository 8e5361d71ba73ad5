/*
 * ring.c - which chunks of the process's spools are kept. The oldest are given up first, whichever
 * thread's they are, so that what is kept of all threads is of the same time: by the helper thread,
 * or by a writer that it has not served in time. Of each spool the chunk that is being filled and the
 * one before stay.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/budget.h"
#include "core/chunk.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/sys.h"
#include "core/totals.h"
#include "counters/sources_file.h"

#define SLOTS	   1024	       /* of a spool, at most */
#define SLOT_LEAST (64u << 10) /* bytes */
#define SLOT_MOST  (2u << 20)  /* as of chunks of spools that are not bounded */
#define SLOTS_OF   256u	       /* the budget is so many slots, or more */
#define LISTS_OF   8u	       /* the list of steps of a thread may have this part of the budget */
#define LIST_STEP  (64u << 10) /* bytes of it that are reserved at once */
#define SPARE	   4u	       /* slots: made ready while others are given up */

#define FINISH_TRIES 100 /* of a millisecond, while another thread gives up */

#define CHUNK_NONE   0		/* a slot is free, … */
#define CHUNK_TAKEN  UINT64_MAX /* …reserved, or has this less 1 as the number of its chunk */
#define FALLOC_PUNCH 3		/* FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE */

struct ring {
	struct ring *next;
	uint32_t number;	/* of the spool */
	uint32_t first_size;	/* bytes of the first chunk, which has no slot */
	_Atomic uint64_t begun; /* chunks; the one being filled is the last of them */
	_Atomic uint64_t ended; /* ticks: its writer has; 0: not yet */
	uint64_t given_up;	/* chunks */
	uint64_t list_size;	/* bytes of the list of steps */
	struct {
		_Atomic uint64_t chunk; /* 1 + its number */
		uint64_t since;		/* ticks: begun */
	} slots[SLOTS];
};

static struct {
	uint64_t limit; /* bytes of this process; 0: none */
	uint64_t keep;	/* ticks; 0: for ever */
	uint32_t slot_size;
	_Atomic(struct ring *) rings;
	_Atomic bool is_served; /* a thread gives chunks up */
} budget;

void ring_start(void)
{
	uint64_t size = tacho_process.asked.max_size;
	int32_t ranks = tacho_process.ranks.size;

	budget.limit = size / (ranks > 0 ? (uint32_t)ranks : 1);
	budget.slot_size = 0;
	if (!size)
		return;
	for (budget.slot_size = SLOT_LEAST;
		budget.slot_size < SLOT_MOST && budget.slot_size * 2ull * SLOTS_OF <= budget.limit;)
		budget.slot_size *= 2;
}

void ring_open(void)
{
	if (budget.slot_size)
		budget_open(budget.limit, tacho_process.asked.max_size);
}

void ring_forked(void)
{
	budget.rings = NULL;
	budget.is_served = false;
	if (budget.slot_size)
		budget_forked();
}

uint32_t ring_slot_size(void)
{
	return budget.slot_size;
}

struct ring *ring_make(uint32_t number)
{
	struct ring *ring = sys_map(sizeof(*ring), MAP_PRIVATE), *first;

	if (ring == MAP_FAILED)
		return NULL;
	ring->number = number;
	first = atomic_load(&budget.rings);
	do
		ring->next = first;
	while (!atomic_compare_exchange_weak(&budget.rings, &first, ring));
	return ring;
}

void ring_first(struct ring *ring, size_t size)
{
	ring->first_size = (uint32_t)size;
	atomic_store(&ring->begun, 1);
}

static int64_t slot_offset(const struct ring *ring, int slot)
{
	return SPOOL_HEAD_SIZE + ring->first_size + (int64_t)slot * budget.slot_size;
}

int ring_slot_take(struct ring *ring, int64_t *offset)
{
	for (int slot = 0; slot < SLOTS; slot++) {
		uint64_t seen = CHUNK_NONE;

		if (atomic_load_explicit(&ring->slots[slot].chunk, memory_order_relaxed) ||
			!atomic_compare_exchange_strong(&ring->slots[slot].chunk, &seen,
				CHUNK_TAKEN))
			continue;
		*offset = slot_offset(ring, slot);
		return slot;
	}
	return -1;
}

void ring_slot_leave(struct ring *ring, int slot, bool is_made)
{
	if (is_made)
		budget_add(-(int64_t)budget.slot_size);
	atomic_store(&ring->slots[slot].chunk, CHUNK_NONE);
}

uint64_t ring_chunk_begin(struct ring *ring, int slot)
{
	uint64_t number = atomic_load(&ring->begun);

	ring->slots[slot].since = clock_ticks();
	atomic_store(&ring->slots[slot].chunk, number + 1);
	atomic_store(&ring->begun, number + 1);
	return number;
}

void ring_trim(struct ring *ring, int fd, int slot, uint64_t used)
{
	int64_t begin = slot < 0 ? SPOOL_HEAD_SIZE : slot_offset(ring, slot);
	uint64_t size = slot < 0 ? ring->first_size : budget.slot_size;

	used = (used + 4095) / 4096 * 4096;
	if (used < size)
		syscall(SYS_fallocate, fd, FALLOC_PUNCH, begin + (int64_t)used,
			(int64_t)(size - used));
}

void ring_end(struct ring *ring)
{
	atomic_store(&ring->ended, clock_ticks());
}

/* The slot of a chunk; -1: it is the first, or gone. */
static int slot_of(const struct ring *ring, uint64_t chunk)
{
	for (int slot = 0; chunk && slot < SLOTS; slot++)
		if (atomic_load(&ring->slots[slot].chunk) == chunk + 1)
			return slot;
	return -1;
}

/* When the chunk after the oldest one began, in ticks; UINT64_MAX: none of the ring can go. */
static uint64_t oldest_end(const struct ring *ring)
{
	uint64_t chunk = ring->given_up, begun = atomic_load(&ring->begun),
		 ended = atomic_load(&ring->ended);
	int after;

	/* the first chunk alone is smaller than totals */
	if (begun == 1 || chunk + (ended ? 0 : 2) >= begun)
		return UINT64_MAX;
	if (chunk + 1 == begun)
		return ended;
	after = slot_of(ring, chunk + 1);
	return after < 0 ? UINT64_MAX : ring->slots[after].since;
}

static int file_open(const struct ring *ring, const char *kind, int flags)
{
	char path[PATH_MAX], name[24];

	snprintf(name, sizeof(name), "%s.%u", kind, ring->number);
	process_path(path, name);
	return sys_open(path, O_RDWR | O_NOFOLLOW | flags, 0600);
}

/* The file of totals, mapped with `list` bytes behind; made when missing. NULL: there is none. */
static struct totals *totals_map(struct ring *ring, uint64_t list, bool *is_new)
{
	int fd = file_open(ring, "totals", ring->list_size ? 0 : O_CREAT | O_EXCL);
	struct totals *totals = NULL;
	void *map;

	if (fd < 0)
		return NULL;
	*is_new = !ring->list_size;
	if (ring->list_size < list) {
		totals = file_map(fd, *is_new ? 0 : (int64_t)(TOTALS_SIZE + ring->list_size),
			list - ring->list_size + (*is_new ? TOTALS_SIZE : 0));
		if (totals) {
			sys_munmap(totals, list - ring->list_size + (*is_new ? TOTALS_SIZE : 0));
			ring->list_size = list;
		}
	}
	map = ring->list_size ? (void *)syscall(SYS_mmap, NULL, TOTALS_SIZE + ring->list_size,
					PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L)
			      : MAP_FAILED;
	sys_close(fd);
	return map == MAP_FAILED ? NULL : map;
}

static void totals_begin(struct totals *totals)
{
	totals->version = SPOOL_VERSION;
	totals->nregions = REGION_COUNT;
	totals->size = sizeof(*totals);
	memcpy(totals->magic, TOTALS_MAGIC, sizeof(totals->magic));
}

/* Bytes of the list with so many spans, as far as it may grow. */
static uint64_t list_wanted(const struct ring *ring, uint64_t wanted)
{
	uint64_t most = budget.limit / LISTS_OF;

	wanted = (wanted * sizeof(struct totals_span) + LIST_STEP - 1) / LIST_STEP * LIST_STEP;
	most = most < LIST_STEP ? LIST_STEP : most / LIST_STEP * LIST_STEP;
	wanted = wanted < most ? wanted : most;
	return wanted < ring->list_size ? ring->list_size : wanted;
}

/* Adds the chunk to the totals. False: they could not be written. */
static bool chunk_sum(struct ring *ring, uint64_t number, const uint64_t *chunk, size_t size)
{
	bool is_new;
	struct totals *totals = totals_map(ring, ring->list_size ? ring->list_size : LIST_STEP,
		&is_new);
	uint64_t wanted, listed;
	struct totals_list list;
	uint32_t counts;

	if (!totals)
		return false;
	if (is_new)
		totals_begin(totals);
	counts = atomic_load(&totals->counts);
	listed = ring->list_size;
	wanted = list_wanted(ring, totals->sums[counts].spans + totals_spans(chunk, size));
	if (wanted > listed) {
		sys_munmap(totals, TOTALS_SIZE + listed);
		totals = totals_map(ring, wanted, &is_new);
		if (!totals)
			return false;
	}
	list = (struct totals_list){ (struct totals_span *)(void *)((char *)totals + TOTALS_SIZE),
		ring->list_size / sizeof(struct totals_span) };
	totals->sums[!counts] = totals->sums[counts];
	totals_add(&totals->sums[!counts], &list, chunk, size);
	totals->sums[!counts].chunks = number + 1;
	atomic_store(&totals->counts, !counts);
	sys_munmap(totals, TOTALS_SIZE + ring->list_size);
	return true;
}

/* Gives up the oldest chunk. False: it could not be summed, and stays. */
static bool chunk_give_up(struct ring *ring)
{
	uint64_t number = ring->given_up;
	int slot = slot_of(ring, number), fd = file_open(ring, "thread", 0);
	int64_t offset = number ? slot_offset(ring, slot) : SPOOL_HEAD_SIZE;
	size_t size = number ? budget.slot_size : ring->first_size;
	void *map = MAP_FAILED;
	bool done = false;

	if (fd < 0 || (number && slot < 0))
		goto out;
	map = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (map == MAP_FAILED || !chunk_sum(ring, number, map, size))
		goto out;
	*(volatile uint64_t *)map = 0;
	ring->given_up++;
	syscall(SYS_fallocate, fd, FALLOC_PUNCH, offset, (int64_t)size);
	budget_add(-(int64_t)size);
	if (number)
		atomic_store(&ring->slots[slot].chunk, CHUNK_NONE);
	done = true;
out:
	if (map != MAP_FAILED)
		sys_munmap(map, size);
	if (fd >= 0)
		sys_close(fd);
	return done;
}

static struct ring *oldest_find(uint64_t *end)
{
	struct ring *oldest = NULL;

	*end = UINT64_MAX;
	for (struct ring *ring = atomic_load(&budget.rings); ring; ring = ring->next) {
		uint64_t it = oldest_end(ring);

		if (it < *end) {
			*end = it;
			oldest = ring;
		}
	}
	return oldest;
}

/* Ticks that are so many seconds, as the clock has run since the process joined. */
static uint64_t keep_ticks(double seconds)
{
	double ns = (double)(clock_monotonic_ns() - tacho_process.start_ns);

	return ns < 1e9 ? 0
			: (uint64_t)((double)(clock_ticks() - tacho_process.start_ticks) / ns *
				  seconds * 1e9);
}

/*
 * Whether the chunk that is the oldest of the process, and ended then, is to be given up. Those of
 * other processes that are older go first while there is room; their helpers may be asleep.
 */
static bool is_to_go(uint64_t end)
{
	bool is_mine = budget_is_mine(end);

	if (end == UINT64_MAX)
		return false;
	return budget_is_over(is_mine ? SPARE * (uint64_t)budget.slot_size : 0) ||
		(budget.keep && end + budget.keep < clock_ticks());
}

/* False: another thread does it. */
static bool serve(void)
{
	double seconds = tacho_process.asked.keep_last;
	struct ring *ring;
	uint64_t end;

	if (atomic_exchange(&budget.is_served, true))
		return false;
	if (seconds > 0 && !budget.keep)
		budget.keep = keep_ticks(seconds);
	do
		ring = oldest_find(&end);
	while (is_to_go(end) && chunk_give_up(ring));
	atomic_store(&budget.is_served, false);
	return true;
}

void ring_serve(void)
{
	if (budget.slot_size)
		serve();
}

void ring_finish(void)
{
	const struct timespec wait = { .tv_nsec = 1000000 };

	for (int i = 0; budget.slot_size && !serve() && i < FINISH_TRIES; i++)
		syscall(SYS_nanosleep, &wait, NULL);
}
