/*
 * thread_spool.c - one spool: a file with a first page (head) that stays mapped while its writer
 * lives, and after it chunks that are mapped one after the other. Records without space are counted
 * in the head.
 */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "core/chunk.h"
#include "core/clock.h"
#include "core/helper.h"
#include "core/loss.h"
#include "core/budget.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/sandbox.h"
#include "core/slot.h"
#include "core/sys.h"
#include "core/thread_spool.h"

#define CHUNK_FIRST  (16 << 10) /* an idle thread costs little memory… */
#define CHUNK_MAX    (2 << 20)	/* …and a busy one few page faults */
#define CHUNK_GROWTH 4
/* ns for half of a chunk: the next is larger below the first, smaller above the second */
#define HALF_FAST 250000000ull
#define HALF_SLOW 4000000000ull
/* of the first: past it the thread is busy enough for a helper */
#define CHUNK_TRIAL 1024
_Static_assert(SLOT_RECORDS < CHUNK_FIRST / 2, "what a slot has fills no half of a first chunk");
#define POPULATE_STEP (256 << 10) /* at a time, lest the program's own mapping waits long */
#define RETRY_NS      100000000	  /* between attempts on a full disk */

static int spool_file(struct spool *spool, int flags)
{
	return process_spool_open("thread", spool->number, flags);
}

static uint64_t chunk_end(const struct spool *spool)
{
	return (uint64_t)(uintptr_t)spool->chunk + spool->size;
}

/* Fills the chunk's rest, so that readers continue in the next one. */
static void chunk_close(struct spool *spool)
{
	uint64_t at = spool->hot.cursor & CURSOR_ADDRESS;
	uint64_t rest = chunk_end(spool) - at;

	if (rest)
		span_publish((uint64_t *)at, spool_word0(SPOOL_PAD, 0, 0, (uint32_t)rest));
}

/*
 * The chunk that was just left stays mapped until the next is left too: a
 * signal handler may have left it while the code it interrupted still has a
 * record to finish there. Its pages are given back at once.
 */
static void chunk_retire(struct spool *spool)
{
	if (spool->old)
		sys_munmap(spool->old, spool->old_size);
	spool->old = spool->chunk;
	spool->old_size = spool->size;
	if (spool->old)
		sys_madvise(spool->old, spool->old_size, MADV_DONTNEED);
}

/* Begins a chunk; in a bounded spool with its number, see totals.h. */
static void record_clock(struct spool *spool, uint64_t number)
{
	struct spool_def_clock now = clock_read();

	span_record(&spool->hot, SPOOL_CLOCK, 0, 0,
		(uint64_t[]){ now.monotonic_ns, now.realtime_ns, number },
		spool->ring || (spool->is_in_slot && budget_slot_size()) ? 3 : 2);
}

/* Continues in a new chunk. Half of it may be filled before the next is asked for. */
static void chunk_begin(struct spool *spool, char *chunk, size_t size)
{
	uint64_t depth = spool->hot.cursor & ~CURSOR_ADDRESS;

	chunk_retire(spool);
	spool->hot.folded = spool->hot.foldable = spool->hot.late = spool->hot.brief = 0;
	spool->hot.rows = 0; /* the record that it is about may be gone */
	spool->chunk = chunk;
	spool->size = size;
	spool->begun_ns = clock_monotonic_ns();
	spool->offset += (int64_t)size;
	spool->hot.end = (uint64_t)(uintptr_t)chunk + (spool->old ? size / 2 : CHUNK_TRIAL);
	spool->hot.cursor = depth | (uint64_t)(uintptr_t)chunk;
}

/* Maps the next `size` bytes of the file; NULL with errno when there is no room. */
static char *chunk_map(struct spool *spool, size_t size)
{
	int fd = spool_file(spool, 0);
	char *chunk;

	if (fd < 0)
		return NULL;
	chunk = file_map(fd, spool->offset, size);
	sys_close(fd);
	return chunk;
}

/*
 * Bytes of the chunk after the present one, which is half full or more. What a thread leaves unused
 * at its end, and has mapped meanwhile, follows how fast it writes.
 */
static size_t size_next(const struct spool *spool)
{
	uint64_t took = clock_monotonic_ns() - spool->begun_ns;

	if (took < HALF_FAST)
		return spool->size * CHUNK_GROWTH;
	if (took > HALF_SLOW && spool->size >= CHUNK_FIRST * CHUNK_GROWTH)
		return spool->size / CHUNK_GROWTH;
	return spool->size;
}

/*
 * Maps a chunk after the present one, smaller when the disk is nearly full.
 * Sets its size; NULL with errno when there is no room, EDOM for the limit.
 */
static char *stretch_make(struct spool *spool, size_t *made)
{
	size_t size = size_next(spool);
	/* in a run within a budget, chunks of counters are no larger than others */
	size_t most = budget_slot_size() ? budget_slot_size() : CHUNK_MAX;
	uint64_t limit = tacho_process.asked.max_spool;
	char *chunk = NULL;

	if (size > most)
		size = most;
	for (; !chunk && size >= CHUNK_FIRST; size /= 2) {
		if (limit && (uint64_t)spool->offset + size > limit) {
			errno = EDOM;
			continue;
		}
		chunk = chunk_map(spool, size);
		*made = size;
		if (!chunk && errno != ENOSPC && errno != EDQUOT)
			break;
	}
	return chunk;
}

static char *slot_map(struct spool *spool, const struct ring_slot *slot)
{
	int fd = spool_file(spool, 0);
	char *chunk;

	if (fd < 0)
		return NULL;
	chunk = slot->has_space ? file_map_reserved(fd, slot->offset, slot->size)
				: file_map(fd, slot->offset, slot->size);
	sys_close(fd);
	return chunk;
}

/* The same in a slot of a bounded spool, which gives up its oldest chunks when the disk is full. */
static char *slot_make(struct spool *spool, size_t *made)
{
	struct ring_slot slot;
	char *chunk;
	int error;

	ring_reserve(spool->ring);
	do {
		if (!ring_slot_take(spool->ring, &slot)) {
			errno = EDOM;
			return NULL;
		}
		chunk = slot_map(spool, &slot);
		error = errno;
		*made = slot.size;
		if (chunk)
			spool->slot_made = slot.slot;
		else
			ring_slot_leave(spool->ring, slot.slot, slot.has_space);
	} while (!chunk && (error == ENOSPC || error == EDQUOT) && ring_make_room(spool->ring));
	errno = error;
	return chunk;
}

struct spool_making {
	struct spool *spool;
	size_t size;
	char *chunk;
	int error;
};

static void chunk_work(void *arg)
{
	struct spool_making *making = arg;

	making->chunk = making->spool->ring ? slot_make(making->spool, &making->size)
					    : stretch_make(making->spool, &making->size);
	making->error = errno;
}

static char *chunk_make(struct spool *spool, size_t *made)
{
	struct spool_making making = { .spool = spool };

	if (task_run(chunk_work, &making) < 0)
		return NULL;
	*made = making.size;
	errno = making.error;
	return making.chunk;
}

/* Waits for one interval. A helper that was killed meanwhile has made none. */
static uint32_t ahead_wait(struct spool *spool)
{
	sched_yield();
	if (!helper_is_there())
		atomic_compare_exchange_strong(&spool->ahead, &(uint32_t){ AHEAD_MAKING },
			AHEAD_NONE);
	return atomic_load(&spool->ahead);
}

/* The next chunk: the helper's if it has made one, else made here. */
static char *chunk_take(struct spool *spool, size_t *size)
{
	uint32_t seen = AHEAD_WANTED;
	char *chunk;

	if (!atomic_compare_exchange_strong(&spool->ahead, &seen, AHEAD_NONE))
		/* a matter of microseconds: it maps, and mostly populates later */
		while (seen == AHEAD_MAKING)
			seen = ahead_wait(spool);
	if (spool->ring)
		ring_serve_own(spool->ring, seen != AHEAD_READY);
	if (seen != AHEAD_READY) {
		chunk = chunk_make(spool, size);
		if (chunk && spool->ring)
			chunk_populate(chunk, *size < POPULATE_STEP ? *size : POPULATE_STEP);
		return chunk;
	}
	*size = spool->ahead_size;
	atomic_store(&spool->ahead, AHEAD_NONE);
	return spool->ahead_chunk;
}

static bool chunk_next(struct spool *spool)
{
	size_t size;
	char *chunk = chunk_take(spool, &size);
	uint64_t number = 0;

	if (!chunk)
		return false;
	chunk_close(spool);
	chunk_begin(spool, chunk, size);
	if (spool->ring)
		number = ring_chunk_begin(spool->ring, spool->slot = spool->slot_made);
	record_clock(spool, number);
	return true;
}

/* Whether a record of `words` words fits now, a word for a pad left over. */
static bool fits(const struct spool *spool, unsigned words)
{
	return spool->hot.end - (spool->hot.cursor & CURSOR_ADDRESS) > (uint64_t)words * 8;
}

/* Raises the end that the hot path sees; half-way the next chunk is asked for. */
static void end_raise(struct spool *spool)
{
	uint64_t half = (uint64_t)(uintptr_t)spool->chunk + spool->size / 2;

	if (spool->hot.end < half) {
		spool->hot.end = half;
		helper_start();
		return;
	}
	spool->hot.end = chunk_end(spool);
	if (!tacho_process.asked.max_spool ||
		(uint64_t)spool->offset < tacho_process.asked.max_spool) {
		atomic_store(&spool->ahead, AHEAD_WANTED);
		helper_poke();
	}
}

/* Now, or when the outermost call began that the thread is in. */
static uint64_t outermost(const struct spool *spool)
{
	return spool->hot.cursor >> 48 ? spool->hot.head->inside[0].start : clock_ticks();
}

static void loss_count(struct spool *spool, int error)
{
	enum spool_loss loss = loss_of_error(error);

	if (!atomic_load_explicit(&spool->hot.head->gap, memory_order_relaxed))
		atomic_store_explicit(&spool->hot.head->gap, outermost(spool),
			memory_order_relaxed);

	atomic_fetch_add_explicit(&spool->hot.head->lost[loss], 1, memory_order_relaxed);
}

/* There is space again: the spool records the gap, up to the call that comes next. */
static void gap_end(struct spool *spool)
{
	uint64_t gap = atomic_load_explicit(&spool->hot.head->gap, memory_order_relaxed),
		 end = outermost(spool), now, *at;
	unsigned depth;

	if (!gap)
		return;
	if (end > gap && (at = span_take(&spool->hot, 3, 0, &now, &depth))) {
		at[1] = gap;
		at[2] = spool_word2(end - gap, 3);
		span_publish(at, spool_word0(SPOOL_GAP, depth, 0, 0));
	}
	atomic_store_explicit(&spool->hot.head->gap, 0, memory_order_relaxed);
}

static void file_work(void *arg)
{
	struct spool_making *making = arg;
	int fd = spool_file(making->spool, O_CREAT | O_EXCL);

	if (fd >= 0)
		making->chunk = file_map(fd, 0, SPOOL_HEAD_SIZE + CHUNK_FIRST);
	making->error = errno;
	if (fd >= 0)
		sys_close(fd);
}

/* Creates the file with room for its head and first chunk, and maps them. NULL with errno. */
static struct spool_head *file_make(struct spool *spool)
{
	struct spool_making making = { .spool = spool };

	if (task_run(file_work, &making) < 0)
		return NULL;
	errno = making.error;
	if (!making.chunk)
		return NULL;
	spool->offset = SPOOL_HEAD_SIZE;
	spool->has_file = true;
	spool->slot = -1;
	return (struct spool_head *)(void *)making.chunk;
}

/*
 * Makes the ring of a thread or device within a budget: slots follow the first chunk in the file.
 */
static void ring_begin(struct spool *spool, struct spool_head *head)
{
	if (head->kind != SPOOL_KIND_SAMPLER && budget_slot_size())
		spool->ring = ring_make(spool->number, head->kind, sys_tid() == sys_pid());
	if (!spool->ring)
		return;
	ring_first(spool->ring, CHUNK_FIRST);
	head->first_size = CHUNK_FIRST;
	head->slot_size = budget_slot_size();
}

/* Whether all records up to there are written: a handler may have interrupted one. */
static bool records_are_whole(const uint64_t *at, const uint64_t *end)
{
	while (at < end && *at)
		at += spool_type(*at) == SPOOL_PAD ? spool_a(*at) / 8 : spool_words(at[2]);
	return at == end;
}

/*
 * A spool that has no more space in the process's slot continues in a separate file. Its first
 * chunk begins with a copy of the slot's records. The file counts once its head has its magic.
 */
static bool slot_move(struct spool *spool)
{
	struct spool_head *from = spool->hot.head, *to;
	uint64_t used = (spool->hot.cursor & CURSOR_ADDRESS) - (uintptr_t)spool->chunk;
	uint64_t depth = spool->hot.cursor & ~CURSOR_ADDRESS;
	char *records;

	if (!records_are_whole((const uint64_t *)(const void *)spool->chunk,
		    (const uint64_t *)(const void *)(spool->chunk + used))) {
		errno = EAGAIN;
		return false;
	}
	to = file_make(spool);
	if (!to)
		return false;
	records = (char *)to + SPOOL_HEAD_SIZE;
	memcpy(records, spool->chunk, used);
	memcpy((char *)to + sizeof(to->magic), (char *)from + sizeof(from->magic),
		sizeof(*to) - sizeof(to->magic));
	ring_begin(spool, to);
	atomic_thread_fence(memory_order_release);
	memcpy(to->magic, SPOOL_MAGIC, sizeof(to->magic));
	spool->hot.head = to;
	spool->chunk = NULL;
	spool->is_in_slot = false;
	chunk_begin(spool, records, CHUNK_FIRST);
	spool->hot.cursor = depth | ((uint64_t)(uintptr_t)records + used);
	spool->hot.end = (uint64_t)(uintptr_t)records + spool->size / 2; /* more than a slot has */
	return true;
}

/* The same; where there is no room it is tried again later. */
static bool slot_outgrow(struct spool *spool)
{
	uint64_t now = clock_monotonic_ns();

	if (now >= spool->retry_ns) {
		if (slot_move(spool)) {
			gap_end(spool);
			helper_start(); /* it is busy enough for one */
			return true;
		}
		spool->error = errno;
		spool->retry_ns = now + (errno == EAGAIN ? 0 : RETRY_NS);
	}
	loss_count(spool, spool->error);
	return false;
}

static bool room_make(struct spool *spool, unsigned words)
{
	uint64_t now;

	if (spool->is_in_slot && !slot_outgrow(spool))
		return false;
	if (!spool->has_file) {
		process_lose(loss_of_error(spool->error));
		return false;
	}
	while (!fits(spool, words) && spool->hot.end < chunk_end(spool))
		end_raise(spool);
	if (fits(spool, words))
		return true; /* or a signal handler has been here */
	now = clock_monotonic_ns();
	if (now >= spool->retry_ns) {
		if (chunk_next(spool)) {
			gap_end(spool);
			return true;
		}
		spool->retry_ns = now + RETRY_NS;
		spool->error = errno;
		say_once(errno == EDOM ? SAY_LIMIT : SAY_DISK_FULL, "events are being lost: %s: %s",
			tacho_process.folder,
			errno != EDOM	      ? strerror(errno)
				: spool->ring ? "no part of TACHO_MAX_SIZE is free"
					      : "TACHO_MAX_SPOOL is reached");
	}
	loss_count(spool, spool->error);
	return false;
}

bool thread_room(struct thread *self, unsigned words)
{
	int saved = errno;
	uint64_t mask;
	bool made;

	if (sandbox_is_on())
		return false;
	mask = sys_signals_block();
	made = room_make((struct spool *)self, words);
	say_kept();
	sys_signals_restore(mask);
	errno = saved;
	return made;
}

static void name_get(uint32_t tid, char name[32])
{
	char path[64];

	if (!tacho_task.is_attached) {
		prctl(PR_GET_NAME, name);
		return;
	}
	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
	if (task_read(path, name, 32) > 0)
		name[strcspn(name, "\n")] = '\0';
}

static void head_fill(struct spool *spool, enum spool_kind kind)
{
	struct spool_head *head = spool->hot.head;

	head->version = SPOOL_VERSION;
	head->nregions = REGION_COUNT;
	head->kind = kind;
	head->clock = tacho_clock_is_tsc ? SPOOL_CLOCK_TSC : SPOOL_CLOCK_MONOTONIC;
	head->pid = sys_pid();
	head->tid = sys_tid();
	head->number = spool->number;
	if (!spool->is_in_slot)
		ring_begin(spool, head);
	head->is_main = kind == SPOOL_KIND_THREAD && head->tid == head->pid;
	if (kind == SPOOL_KIND_SAMPLER)
		strcpy(head->name, "counters");
	else if (kind == SPOOL_KIND_GPU)
		strcpy(head->name, "GPU");
	else
		name_get(head->tid, head->name);
	memcpy(head->magic, SPOOL_MAGIC, sizeof(head->magic));
}

/* Creates the file with its head and first chunk. */
static int file_create(struct spool *spool, enum spool_kind kind)
{
	struct spool_head *head = file_make(spool);

	if (!head)
		return -1;
	spool->hot.head = head;
	head_fill(spool, kind);
	chunk_begin(spool, (char *)head + SPOOL_HEAD_SIZE, CHUNK_FIRST);
	record_clock(spool, 0);
	return 0;
}

/* Begins in the slot that the process is in. */
static void slot_begin(struct spool *spool, struct slot *slot)
{
	spool->is_in_slot = true;
	spool->slot = -1;
	spool->hot.head = &slot->head;
	spool->chunk = (char *)slot->records;
	spool->size = SLOT_RECORDS;
	head_fill(spool, SPOOL_KIND_THREAD);
	spool->hot.cursor = (uint64_t)(uintptr_t)spool->chunk;
	spool->hot.end = chunk_end(spool);
	record_clock(spool, 0);
}

/* Without a file, a head in memory lets the hot path work; every record is lost and counted. */
static int spool_without_file(struct spool *spool)
{
	void *page;

	spool->error = errno;
	/* that each child of a jailed process meets; the ledger counts it */
	if (loss_of_error(errno) != LOSS_UNREACHABLE)
		say_once(SAY_THREAD, "a thread is not recorded: %s/thread.%u: %s",
			tacho_process.folder, spool->number, strerror(errno));
	page = sys_map(SPOOL_HEAD_SIZE, MAP_PRIVATE);
	spool->hot.head = page;
	return page == MAP_FAILED ? -1 : 0;
}

int spool_create(struct spool *spool, enum spool_kind kind)
{
	if (tacho_process.is_in_slot && kind == SPOOL_KIND_THREAD && !spool->number) {
		slot_begin(spool, slot_own());
		return 0;
	}
	return file_create(spool, kind) == 0 ? 0 : spool_without_file(spool);
}

/* Makes the pages of a chunk that its thread may have already, or may have left again. */
static void ahead_populate(char *chunk, size_t size)
{
	for (size_t done = 0; done < size; done += POPULATE_STEP)
		if (chunk_populate(chunk + done,
			    size - done < POPULATE_STEP ? size - done : POPULATE_STEP) < 0)
			return;
}

void spool_serve(struct spool *spool)
{
	static bool old_kernel;
	uint32_t seen = AHEAD_WANTED;
	size_t size = 0;
	char *chunk;

	ring_serve(); /* first: while it makes the chunk the writer may wait */
	if (!atomic_compare_exchange_strong(&spool->ahead, &seen, AHEAD_MAKING))
		return;
	chunk = chunk_make(spool, &size);
	spool->ahead_chunk = chunk;
	spool->ahead_size = size;
	if (chunk && !old_kernel)
		old_kernel = chunk_populate(chunk, 4096) < 0 && errno == EINVAL;
	if (chunk && old_kernel)
		chunk_touch(chunk, size);
	atomic_store(&spool->ahead, chunk ? AHEAD_READY : AHEAD_NONE);
	if (chunk && !old_kernel)
		ahead_populate(chunk, size);
}

void spool_unmap(struct spool *spool)
{
	if (spool->is_in_slot) {
		spool->chunk = NULL;
		spool->hot.head = NULL;
		spool->is_in_slot = false;
	}
	if (spool->chunk)
		sys_munmap(spool->chunk, spool->size);
	if (spool->old)
		sys_munmap(spool->old, spool->old_size);
	if (atomic_load(&spool->ahead) == AHEAD_READY)
		sys_munmap(spool->ahead_chunk, spool->ahead_size);
	if (spool->hot.head)
		sys_munmap(spool->hot.head, SPOOL_HEAD_SIZE);
	spool->chunk = spool->old = NULL;
	spool->hot.head = NULL;
	spool->ring = NULL;
	spool->has_file = false;
	atomic_store(&spool->ahead, AHEAD_NONE);
}

/* Gives back reserved, unused space. */
static void trim_work(void *arg)
{
	struct spool *spool = arg;
	uint64_t rest = chunk_end(spool) - (spool->hot.cursor & CURSOR_ADDRESS);
	bool has_ahead = atomic_load(&spool->ahead) == AHEAD_READY;
	int fd = spool_file(spool, 0);

	if (fd < 0)
		return;
	if (!spool->ring) {
		sys_ftruncate(fd, spool->offset - (int64_t)rest);
	} else {
		ring_trim(spool->ring, fd, spool->slot, spool->size - rest);
		if (has_ahead) {
			ring_trim(spool->ring, fd, spool->slot_made, 0);
			ring_slot_leave(spool->ring, spool->slot_made, false);
		}
		ring_end(spool->ring, fd);
	}
	sys_close(fd);
}

void spool_close(struct spool *spool)
{
	uint32_t seen = AHEAD_WANTED;
	bool is_bounded = spool->ring != NULL;

	if (!atomic_compare_exchange_strong(&spool->ahead, &seen, AHEAD_NONE))
		while (ahead_wait(spool) == AHEAD_MAKING)
			;
	if (spool->has_file)
		task_run(trim_work, spool);
	spool_unmap(spool);
	if (is_bounded)
		ring_thread_ended();
}
