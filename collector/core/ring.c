/*
 * ring.c - which chunks of the process's spools are kept. The oldest are given up first, whichever
 * thread's they are, so that the kept chunks of all threads cover the same time. The helper thread
 * does it, or a writer that it has not served in time. In each spool, the chunk being filled and
 * the one before stay.
 */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "core/budget.h"
#include "core/chunk.h"
#include "core/ended.h"
#include "core/ended_threads.h"
#include "core/folder.h"
#include "core/keep.h"
#include "core/kept.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/ring_sums.h"
#include "core/sys.h"

#define LISTS_OF 8u /* the list of steps of a thread may have this part of the budget */
#define SPARE	 4u /* slots: made ready while others are given up */

#define CHILDREN       16 /* that are given up before others are served */
#define THREADS	       64 /* the same of threads, which are less work */
#define THREADS_OWN    4  /* of them by a thread that ends */
#define PROFILE_CHUNKS 4  /* of a spool that are added to its profile before others are served */
#define PROFILE_RUN                                                                                \
	(UINT64_C(1) << 30) /* bytes of a run with profiles, if all ranks have as many */
#define IDLE_MOST    10	    /* checks by the helper thread of a ring that does not continue */
#define FINISH_TRIES 100    /* of a millisecond, while another thread gives up */

#define CHUNK_NONE   0		/* a slot is free, … */
#define CHUNK_TAKEN  UINT64_MAX /* …reserved, or has this less 1 as the number of its chunk */
#define FALLOC_PUNCH 3		/* FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE */

/* Which files of ended threads are removed; a ring that has none is for the next spool. */
enum ring_of { RING_OF_THREAD, RING_OF_OTHERS, RING_OF_NONE };

struct ring {
	struct ring *next;
	uint32_t number;	   /* of the spool */
	uint32_t first_size;	   /* bytes of the first chunk, which has no slot… */
	uint32_t first_used;	   /* …and that have space */
	_Atomic uint64_t begun;	   /* chunks; the one being filled is the last of them */
	_Atomic uint64_t ended;	   /* ticks: its writer has; 0: not yet */
	_Atomic uint32_t of;	   /* enum ring_of */
	_Atomic bool is_served;	   /* a thread gives chunks up: the next two are its */
	_Atomic uint64_t given_up; /* chunks */
	struct ring_sums sums;	   /* of those */
	_Atomic uint64_t profiled; /* chunks in the profile */
	struct ring_sums profile;
	_Atomic bool is_left; /* to its writer, see ring_take() */
	bool is_profiled;     /* it may have one */
	/* for the helper thread: `begun` as it was seen last, and how often it was so */
	uint64_t begun_seen;
	uint32_t idle;
	/* 1 + a slot that is free and has its space, all zero; 0: there is none */
	_Atomic uint32_t ready;
	_Atomic int nslots; /* those from here on were never used */
	struct {
		_Atomic uint64_t chunk; /* 1 + its number */
		uint64_t since;		/* ticks: begun */
		size_t used;		/* bytes that have space */
	} slots[BUDGET_SLOTS];
};

static struct {
	_Atomic uint64_t keep; /* ticks; 0: for ever */
	_Atomic(struct ring *) first;
	_Atomic bool has_devices; /* the analysis then needs all events */
} rings;

void ring_open(void)
{
	if (!budget_slot_size())
		return;
	budget_open();
	ended_start();
}

static void sums_unmap(struct ring *ring)
{
	ring_sums_unmap(&ring->sums);
	ring_sums_unmap(&ring->profile);
}

void ring_forked(void)
{
	for (struct ring *ring = atomic_load(&rings.first); ring; ring = ring->next)
		sums_unmap(ring);
	rings.first = NULL;
	kept_forked();
	ended_forked();
	ended_threads_forked();
	if (budget_slot_size())
		budget_forked();
}

static bool ring_lock(struct ring *ring)
{
	return !atomic_exchange(&ring->is_served, true);
}

/* The ring of an ended thread without files, for reuse; NULL: there is none. */
static struct ring *ring_reuse(void)
{
	for (struct ring *ring = atomic_load(&rings.first); ring; ring = ring->next) {
		size_t begin = offsetof(struct ring, number);

		if (atomic_load(&ring->of) != RING_OF_NONE || !ring_lock(ring))
			continue;
		if (atomic_load(&ring->of) == RING_OF_NONE) {
			memset((char *)ring + begin, 0,
				offsetof(struct ring, slots[ring->nslots]) - begin);
			return ring;
		}
		atomic_store(&ring->is_served, false);
	}
	return NULL;
}

static void ring_link(struct ring *ring)
{
	struct ring *first = atomic_load(&rings.first);

	do
		ring->next = first;
	while (!atomic_compare_exchange_weak(&rings.first, &first, ring));
}

struct ring *ring_make(uint32_t number, enum spool_kind kind, bool is_main)
{
	struct ring *ring = ring_reuse();
	bool is_new = !ring;

	if (is_new && (ring = sys_map(sizeof(*ring), MAP_PRIVATE)) == MAP_FAILED)
		return NULL;
	ring->of = kind == SPOOL_KIND_THREAD && !is_main ? RING_OF_THREAD : RING_OF_OTHERS;
	ring->number = number;
	ring->sums = (struct ring_sums){ .name = "totals",
		.is_in_order = kind == SPOOL_KIND_THREAD,
		.list_most = budget_asked() / LISTS_OF };
	ring->profile = (struct ring_sums){ .name = "profile",
		.list_most = TOTALS_PROFILE_MOST - TOTALS_SIZE };
	if (kind == SPOOL_KIND_GPU)
		rings.has_devices = true;
	ring->is_profiled = kind == SPOOL_KIND_THREAD;
	budget_join();
	if (is_new)
		ring_link(ring);
	return ring;
}

void ring_first(struct ring *ring, size_t size)
{
	ring->first_size = ring->first_used = (uint32_t)size;
	atomic_store(&ring->begun, 1);
}

static uint32_t slot_size(int slot)
{
	return totals_slot_size(budget_slot_size(), (uint32_t)slot);
}

static int64_t slot_offset(const struct ring *ring, int slot)
{
	int64_t offset = SPOOL_HEAD_SIZE + ring->first_size;
	int i = 0;

	for (; i < slot && slot_size(i) < budget_slot_size(); i++)
		offset += slot_size(i);
	return offset + (int64_t)(slot - i) * budget_slot_size();
}

static int slot_free(struct ring *ring)
{
	for (int slot = 0; slot < BUDGET_SLOTS; slot++) {
		uint64_t seen = CHUNK_NONE;

		if (!atomic_load_explicit(&ring->slots[slot].chunk, memory_order_relaxed) &&
			atomic_compare_exchange_strong(&ring->slots[slot].chunk, &seen,
				CHUNK_TAKEN)) {
			if (slot >= atomic_load(&ring->nslots)) /* the spool makes one at a time */
				atomic_store(&ring->nslots, slot + 1);
			return slot;
		}
	}
	return -1;
}

bool ring_slot_take(struct ring *ring, struct ring_slot *out)
{
	uint32_t ready = atomic_exchange(&ring->ready, 0);

	out->slot = ready ? (int)ready - 1 : slot_free(ring);
	if (out->slot < 0)
		return false;
	out->has_space = ready != 0;
	out->offset = slot_offset(ring, out->slot);
	out->size = slot_size(out->slot);
	return true;
}

void ring_slot_leave(struct ring *ring, int slot, bool has_space)
{
	if (has_space)
		budget_add(-(int64_t)slot_size(slot));
	atomic_store(&ring->slots[slot].chunk, CHUNK_NONE);
}

uint64_t ring_chunk_begin(struct ring *ring, int slot)
{
	uint64_t number = atomic_load(&ring->begun);

	ring->slots[slot].since = clock_ticks();
	ring->slots[slot].used = slot_size(slot);
	atomic_store(&ring->slots[slot].chunk, number + 1);
	atomic_store(&ring->begun, number + 1);
	return number;
}

static void punch(int fd, int64_t offset, uint64_t size)
{
	syscall(SYS_fallocate, fd, FALLOC_PUNCH, offset, (int64_t)size);
	budget_add(-(int64_t)size);
}

void ring_trim(struct ring *ring, int fd, int slot, uint64_t used)
{
	int64_t begin = slot < 0 ? SPOOL_HEAD_SIZE : slot_offset(ring, slot);
	uint64_t size = slot < 0 ? ring->first_size : slot_size(slot);

	used = (used + 4095) / 4096 * 4096;
	if (used >= size)
		return;
	punch(fd, begin + (int64_t)used, size - used);
	if (slot < 0)
		ring->first_used = (uint32_t)used;
	else
		ring->slots[slot].used = used;
}

/* The space that was kept for the next chunk is not needed. */
static void ready_leave(struct ring *ring, int fd)
{
	uint32_t ready = atomic_exchange(&ring->ready, 0);
	int slot = (int)ready - 1;

	if (!ready)
		return;
	punch(fd, slot_offset(ring, slot), slot_size(slot));
	atomic_store(&ring->slots[slot].chunk, CHUNK_NONE);
}

void ring_end(struct ring *ring, int fd)
{
	atomic_store(&ring->ended, clock_ticks());
	ready_leave(ring, fd);
}

/* The slot of a chunk; -1: it is the first, or gone. */
static int slot_of(const struct ring *ring, uint64_t chunk)
{
	for (int slot = 0; chunk && slot < atomic_load(&ring->nslots); slot++)
		if (atomic_load(&ring->slots[slot].chunk) == chunk + 1)
			return slot;
	return -1;
}

/* When the chunk after the oldest one began, in ticks; UINT64_MAX: none of the ring can go. */
static uint64_t oldest_end(const struct ring *ring)
{
	uint64_t chunk = atomic_load(&ring->given_up), begun = atomic_load(&ring->begun),
		 ended = atomic_load(&ring->ended);
	int after;

	if (atomic_load(&ring->of) == RING_OF_NONE)
		return UINT64_MAX;
	/* the first chunk alone is smaller than totals */
	if (begun == 1 || chunk + (ended ? 0 : 2) >= begun)
		return UINT64_MAX;
	if (chunk + 1 == begun)
		return ended;
	after = slot_of(ring, chunk + 1);
	return after < 0 ? UINT64_MAX : ring->slots[after].since;
}

/*
 * Wipes the chunk, and keeps its slot for the next one, or else gives its space back. A chunk that
 * is summed may be half wiped, as readers pass it over.
 */
static void chunk_wipe(struct ring *ring, int fd, int slot, char *map)
{
	if (slot >= 0 && !atomic_load(&ring->ended) && !atomic_load(&ring->ready)) {
		*(volatile uint64_t *)(void *)map = 0; /* first, see spool_ring.c */
		memset(map, 0, slot_size(slot));
		atomic_store(&ring->ready, (uint32_t)slot + 1);
		if (atomic_load(&ring->ended))
			ready_leave(ring, fd);
		return;
	}
	*(volatile uint64_t *)(void *)map = 0;
	if (slot < 0) {
		punch(fd, SPOOL_HEAD_SIZE, ring->first_used);
		return;
	}
	punch(fd, slot_offset(ring, slot), ring->slots[slot].used);
	atomic_store(&ring->slots[slot].chunk, CHUNK_NONE);
}

/* A chunk as it lies in the spool's file. */
struct chunk {
	struct kept_chunk kept;
	int fd, slot;
};

/* Maps it. False: it is not there. */
static bool chunk_map(struct ring *ring, uint64_t number, struct chunk *out)
{
	int slot = slot_of(ring, number);
	void *map = MAP_FAILED;

	*out = (struct chunk){ { ring->number, number, NULL,
				       slot >= 0 ? ring->slots[slot].used : ring->first_used,
				       slot >= 0 ? ring->slots[slot].since : 0, 0 },
		process_spool_open("thread", ring->number, 0), slot };
	if (out->fd >= 0 && (!number || slot >= 0))
		map = sys_map_file(out->fd, slot >= 0 ? slot_offset(ring, slot) : SPOOL_HEAD_SIZE,
			out->kept.size, PROT_READ | PROT_WRITE);
	if (map != MAP_FAILED)
		out->kept.at = map;
	return out->kept.at != NULL;
}

static void chunk_unmap(struct chunk *chunk)
{
	if (chunk->kept.at)
		sys_munmap((void *)(uintptr_t)chunk->kept.at, chunk->kept.size);
	if (chunk->fd >= 0)
		sys_close(chunk->fd);
}

/* Adds the chunk to the profile if it is the next one there. */
static void profile_add(struct ring *ring, const struct kept_chunk *chunk)
{
	if (atomic_load(&ring->profiled) != chunk->number)
		return;
	if (ring_sums_add(&ring->profile, chunk))
		atomic_store(&ring->profiled, chunk->number + 1);
	else
		ring->is_profiled = false;
}

/* Bytes of the largest spools of a run without profiles: the records are soon read. */
static bool profile_is_worth(const struct ring *ring)
{
	uint64_t bytes = (uint64_t)slot_offset(ring, atomic_load(&ring->nslots)),
		 ranks = tacho_process.ranks.size > 0 ? (uint64_t)tacho_process.ranks.size : 1;

	return ring->is_profiled && !rings.has_devices && bytes >= TOTALS_PROFILE_FROM &&
		bytes * ranks >= PROFILE_RUN;
}

/* Whether the next chunk of the profile has been left by its writer; the last one stays out. */
static bool profile_is_due(const struct ring *ring)
{
	uint64_t next = atomic_load(&ring->profiled);

	return next + (atomic_load(&ring->ended) ? 1 : 2) < atomic_load(&ring->begun) &&
		next >= atomic_load(&ring->given_up) && (next || profile_is_worth(ring)) &&
		ring->is_profiled && !rings.has_devices && !atomic_load(&ring->is_left) &&
		atomic_load(&ring->of) != RING_OF_NONE;
}

static void profile_work(void *arg)
{
	struct ring *ring = arg;
	struct chunk chunk;

	if (chunk_map(ring, atomic_load(&ring->profiled), &chunk))
		profile_add(ring, &chunk.kept);
	else
		ring->is_profiled = false;
	chunk_unmap(&chunk);
}

/* Adds what is due, so many chunks of each ring at most. */
static void profiles_serve(unsigned most)
{
	for (struct ring *ring = atomic_load(&rings.first); ring; ring = ring->next)
		for (unsigned i = 0; i < most && profile_is_due(ring) && ring_lock(ring); i++) {
			if (profile_is_due(ring) && task_run(profile_work, ring) < 0)
				ring->is_profiled = false;
			atomic_store(&ring->is_served, false);
		}
}

struct giving {
	struct ring *ring;
	bool wants_space, is_done;
};

static void chunk_work(void *arg)
{
	struct giving *giving = arg;
	struct ring *ring = giving->ring;
	uint64_t number = atomic_load(&ring->given_up);
	struct chunk chunk;

	if (chunk_map(ring, number, &chunk)) {
		chunk.kept.end = oldest_end(ring);
		giving->is_done = ring_sums_add(&ring->sums, &chunk.kept);
	}
	if (giving->is_done) {
		/* the writer's time is the program's: a profile that falls behind the totals is ignored */
		if (atomic_load(&ring->profiled) && !atomic_load(&ring->is_left))
			profile_add(ring, &chunk.kept);
		atomic_store(&ring->given_up, number + 1);
		chunk_wipe(ring, chunk.fd, chunk.slot, (void *)(uintptr_t)chunk.kept.at);
		if (giving->wants_space)
			ready_leave(ring, chunk.fd);
	}
	chunk_unmap(&chunk);
}

/* Gives up the oldest chunk. False: it could not be summed, and stays. `wants_space`: of its slot as well. */
static bool chunk_give_up(struct ring *ring, bool wants_space)
{
	struct giving giving = { .ring = ring, .wants_space = wants_space };

	return task_run(chunk_work, &giving) == 0 && giving.is_done;
}

/*
 * The oldest chunk's ring among the rings that a thread may serve (own: the one that it writes;
 * NULL: the helper thread).
 */
static struct ring *oldest_find(const struct ring *own, uint64_t *end)
{
	struct ring *oldest = NULL;

	*end = UINT64_MAX;
	for (struct ring *ring = atomic_load(&rings.first); ring; ring = ring->next) {
		uint64_t it = ring == own || !atomic_load(&ring->is_left) ? oldest_end(ring)
									  : UINT64_MAX;

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
	return budget_is_over(is_mine ? SPARE * (uint64_t)budget_slot_size() : 0) ||
		(rings.keep && end + rings.keep < clock_ticks());
}

static bool ring_give_up(struct ring *ring, bool wants_space)
{
	bool done = false;

	if (oldest_end(ring) == UINT64_MAX || !ring_lock(ring))
		return false;
	if (oldest_end(ring) != UINT64_MAX)
		done = chunk_give_up(ring, wants_space);
	atomic_store(&ring->is_served, false);
	return done;
}

bool ring_make_room(struct ring *own)
{
	budget_shrink();
	if (ring_give_up(own, false))
		return true;
	for (struct ring *ring = atomic_load(&rings.first); ring; ring = ring->next)
		if (ring != own && ring_give_up(ring, true))
			return true;
	return false;
}

void ring_reserve(struct ring *ring)
{
	if (atomic_load(&ring->begun) == 1) /* no thread serves it yet */
		ring_sums_reserve(&ring->sums, ring->number);
}

/*
 * The ring with the oldest chunk, locked; NULL: no chunk has to go, or another thread is at it
 * (then is_busy is set). A writer never waits: it gives up a chunk of its own ring. From then on
 * the helper thread, which may get no core for long while it holds the lock, leaves that ring to
 * it.
 */
static struct ring *ring_take(struct ring *own, bool *is_busy)
{
	uint64_t end;
	struct ring *ring = oldest_find(own, &end);

	if (!is_to_go(end))
		return NULL;
	if (ring_lock(ring))
		return ring;
	*is_busy = true;
	if (!own || oldest_end(own) == UINT64_MAX || !budget_is_over(budget_slot_size()))
		return NULL;
	if (ring_lock(own))
		return own;
	atomic_store(&own->is_left, true);
	return NULL;
}

/* So many children that have ended at most, as long as each did so before the oldest chunk of the rings. */
static void children_give_up(unsigned most)
{
	uint64_t end, old = rings.keep ? clock_ticks() - rings.keep : 0;

	oldest_find(NULL, &end);
	for (unsigned i = 0; i < most; i++)
		if (!ended_give_up(
			    budget_is_over(SPARE * (uint64_t)budget_slot_size()) ? end : old))
			return;
}

/* Bytes of the spool of a ring with an ended writer. */
static uint64_t ring_bytes(const struct ring *ring)
{
	uint64_t bytes = SPOOL_HEAD_SIZE + (ring->given_up ? 0 : ring->first_used);

	for (int slot = 0; slot < ring->nslots; slot++)
		if (ring->slots[slot].chunk)
			bytes += ring->slots[slot].used;
	return bytes + ring_sums_bytes(&ring->sums) + ring_sums_bytes(&ring->profile);
}

/* The ring, locked, of the thread that ended first, if it did so before `ticks`; NULL: there is none. */
static struct ring *thread_take(uint64_t ticks)
{
	struct ring *first = NULL;
	uint64_t least = ticks;

	for (struct ring *ring = atomic_load(&rings.first); ring; ring = ring->next) {
		uint64_t ended = atomic_load(&ring->ended);

		if (ended && ended < least && atomic_load(&ring->of) == RING_OF_THREAD) {
			least = ended;
			first = ring;
		}
	}
	if (!first || !ring_lock(first))
		return NULL;
	if (atomic_load(&first->of) == RING_OF_THREAD && atomic_load(&first->ended) == least)
		return first;
	atomic_store(&first->is_served, false);
	return NULL;
}

/* So many threads that have ended at most, as long as each did so before the oldest chunk of the rings. */
static void threads_give_up(unsigned most)
{
	uint64_t end, old = rings.keep ? clock_ticks() - rings.keep : 0;
	struct ring *ring;

	if (!ended_threads_begin())
		return;
	oldest_find(NULL, &end);
	for (unsigned i = 0; i < most; i++) {
		ring = thread_take(
			budget_is_over(SPARE * (uint64_t)budget_slot_size()) ? end : old);
		if (!ring)
			break;
		sums_unmap(ring);
		if (ended_thread_add(ring->number)) {
			budget_add(-(int64_t)(ring_bytes(ring) + kept_drop(&ring->sums.kept)));
			atomic_store(&ring->of, RING_OF_NONE);
		} else {
			atomic_store(&ring->of, RING_OF_OTHERS);
		}
		atomic_store(&ring->is_served, false);
	}
	ended_threads_end();
}

/* The same in a task. */
static void threads_work(void *most)
{
	threads_give_up(*(unsigned *)most);
}

void ring_thread_ended(void)
{
	unsigned most = THREADS_OWN;

	if (budget_is_over(SPARE * (uint64_t)budget_slot_size()))
		task_run(threads_work, &most);
}

/* Gives back, in all rings, the entries no longer kept in detail. */
static void kept_give_back(void)
{
	for (struct ring *ring = atomic_load(&rings.first); ring; ring = ring->next)
		if (ring->sums.kept.has_file && atomic_load(&ring->of) != RING_OF_NONE &&
			ring_lock(ring)) {
			kept_release(&ring->sums.kept, ring->number);
			atomic_store(&ring->is_served, false);
		}
}

/* False: another thread does some of it. */
static bool serve(struct ring *own)
{
	double seconds = tacho_process.asked.keep_last;
	bool is_busy = false, done = true;
	struct ring *ring;

	if (seconds > 0 && !rings.keep)
		rings.keep = keep_ticks(seconds);
	if (own == NULL) {
		kept_give_back();
		children_give_up(CHILDREN);
		threads_give_up(THREADS);
	}
	if (own == NULL)
		profiles_serve(PROFILE_CHUNKS);
	while (done && (ring = ring_take(own, &is_busy))) {
		done = oldest_end(ring) != UINT64_MAX && chunk_give_up(ring, false);
		atomic_store(&ring->is_served, false);
	}
	return !is_busy;
}

/* The helper thread takes back rings with no new chunk by their writers. */
static void left_take(void)
{
	for (struct ring *ring = atomic_load(&rings.first); ring; ring = ring->next) {
		uint64_t begun = atomic_load(&ring->begun);

		if (begun != ring->begun_seen)
			ring->idle = 0;
		else if (ring->idle++ >= IDLE_MOST)
			atomic_store(&ring->is_left, false);
		ring->begun_seen = begun;
	}
}

void ring_serve(void)
{
	if (!budget_slot_size())
		return;
	left_take();
	serve(NULL);
}

void ring_serve_own(struct ring *ring, bool is_late)
{
	if (is_late || atomic_load_explicit(&ring->is_left, memory_order_relaxed))
		serve(ring);
}

void ring_finish(void)
{
	const struct timespec wait = { .tv_nsec = 1000000 };

	for (struct ring *ring = atomic_load(&rings.first); ring; ring = ring->next)
		atomic_store(&ring->is_left, false);
	for (int i = 0; !ended_finish() && i < FINISH_TRIES; i++)
		syscall(SYS_nanosleep, &wait, NULL);
	if (budget_slot_size()) {
		children_give_up(UINT32_MAX);
		threads_give_up(UINT32_MAX);
	}
	for (int i = 0; budget_slot_size() && !serve(NULL) && i < FINISH_TRIES; i++)
		syscall(SYS_nanosleep, &wait, NULL);
}
