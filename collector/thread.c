/*
 * thread.c - the spool of one thread: a file whose first page (head) stays
 * mapped while the thread lives, and behind it chunks that are mapped one
 * after the other. The thread is the only writer.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "chunk.h"
#include "clock.h"
#include "helper.h"
#include "join.h"
#include "process.h"
#include "sys.h"
#include "thread.h"

#define CHUNK_FIRST	(16 << 10)	/* an idle thread costs little memory… */
#define CHUNK_MAX	(2 << 20)	/* …and a busy one few page faults */
#define CHUNK_GROWTH	4
/* of the first: past it the thread is busy enough for a helper */
#define CHUNK_TRIAL	1024
#define POPULATE_STEP	(256 << 10)	/* at a time, lest the program's own mapping waits long */
#define RETRY_NS	100000000	/* between attempts on a full disk */

/* The next chunk of a spool, which the helper thread makes ready while this one is being filled. */
enum ahead { AHEAD_NONE, AHEAD_WANTED, AHEAD_MAKING, AHEAD_READY };

/* A thread's spool beyond what the hot path needs. */
struct spool {
	struct thread hot;		/* first: tacho_self points here */
	/* of all spools ever made; never changes, so the helper needs no lock */
	struct spool *next;
	struct spool *next_unused;
	uint32_t number;
	char *chunk, *old;		/* being filled; the one before, see chunk_retire */
	size_t size, old_size;		/* of them, bytes */
	int64_t offset;			/* of the file: behind `chunk` */
	/* enum ahead; the next two belong to who set MAKING or sees READY */
	_Atomic uint32_t ahead;
	char *ahead_chunk;
	size_t ahead_size;
	uint64_t retry_ns;		/* CLOCK_MONOTONIC: not before then */
	int error;			/* errno of the last attempt */
	bool has_file;
};

__thread struct thread *tacho_self;
static __thread bool thread_over;	/* its spool was ended: late destructors record nothing */
static pthread_key_t end_key;
static bool has_end_key;		/* changed under the join lock */
/* all of them; changed under the join lock, as the next three */
static _Atomic(struct spool *) spools;
static struct spool *unused;
static char *slab, *slab_end;
static _Atomic bool main_over;		/* the initial thread has ended, the process goes on */

/* A spool struct: one that a thread left, or a new one. */
static struct spool *spool_alloc(void)
{
	struct spool *spool = unused, *next;

	if (spool) {
		unused = spool->next_unused;
		next = spool->next;
		memset(spool, 0, sizeof(*spool));
		spool->next = next;
		return spool;
	}
	if ((size_t)(slab_end - slab) < sizeof(*spool) + 64) {
		slab = (char *)syscall(SYS_mmap, NULL, 65536, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (slab == MAP_FAILED) {
			slab = slab_end = NULL;
			return NULL;
		}
		slab_end = slab + 65536;
	}
	spool = (struct spool *)(void *)slab;
	slab += (sizeof(*spool) + 63) & ~(size_t)63;
	spool->next = spools;
	atomic_store(&spools, spool);
	return spool;
}

static int spool_file(struct spool *spool, int flags)
{
	char path[PATH_MAX], name[24];

	snprintf(name, sizeof(name), "thread.%u", spool->number);
	process_path(path, name);
	return sys_open(path, O_RDWR | O_NOFOLLOW | flags, 0600);
}

static uint64_t chunk_end(const struct spool *spool)
{
	return (uint64_t)(uintptr_t)spool->chunk + spool->size;
}

/* Fills the chunk's rest, so that readers go on in the next one. */
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
		madvise(spool->old, spool->old_size, MADV_DONTNEED);
}

/* Goes on in a new chunk. Half of it may be filled before the next is asked for. */
static void chunk_begin(struct spool *spool, char *chunk, size_t size)
{
	uint64_t depth = spool->hot.cursor & ~CURSOR_ADDRESS;

	chunk_retire(spool);
	spool->chunk = chunk;
	spool->size = size;
	spool->offset += (int64_t)size;
	spool->hot.end = (uint64_t)(uintptr_t)chunk + (spool->old ? size / 2 : CHUNK_TRIAL);
	spool->hot.cursor = depth | (uint64_t)(uintptr_t)chunk;
}

static void record_clock(struct spool *spool)
{
	struct spool_def_clock now = clock_read();

	span_record(&spool->hot, SPOOL_CLOCK, 0, 0,
		    (uint64_t[]){ now.monotonic_ns, now.realtime_ns }, 2);
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
 * Maps a chunk behind the present one, smaller when the disk is nearly full.
 * Sets its size; NULL with errno when there is no room, EDOM for the limit.
 */
static char *chunk_make(struct spool *spool, size_t *made)
{
	size_t size = spool->size * CHUNK_GROWTH;
	uint64_t limit = tacho_process.max_spool;
	char *chunk = NULL;

	if (size > CHUNK_MAX)
		size = CHUNK_MAX;
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

/* The next chunk: the helper's if it has made one, else made here. */
static char *chunk_take(struct spool *spool, size_t *size)
{
	uint32_t seen = AHEAD_WANTED;

	if (!atomic_compare_exchange_strong(&spool->ahead, &seen, AHEAD_NONE))
		/* a matter of microseconds: it maps, and mostly populates later */
		while (seen == AHEAD_MAKING) {
			sched_yield();
			seen = atomic_load(&spool->ahead);
		}
	if (seen != AHEAD_READY)
		return chunk_make(spool, size);
	*size = spool->ahead_size;
	atomic_store(&spool->ahead, AHEAD_NONE);
	return spool->ahead_chunk;
}

static bool chunk_next(struct spool *spool)
{
	size_t size;
	char *chunk = chunk_take(spool, &size);

	if (!chunk)
		return false;
	chunk_close(spool);
	chunk_begin(spool, chunk, size);
	record_clock(spool);
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
	if (!tacho_process.max_spool || (uint64_t)spool->offset < tacho_process.max_spool) {
		atomic_store(&spool->ahead, AHEAD_WANTED);
		helper_poke();
	}
}

static void loss_count(struct spool *spool, int error)
{
	enum spool_loss loss = error == EDOM ? LOSS_LIMIT : LOSS_DISK_FULL;

	atomic_fetch_add_explicit(&spool->hot.head->lost[loss], 1, memory_order_relaxed);
}

static bool room_make(struct spool *spool, unsigned words)
{
	uint64_t now;

	if (!spool->has_file) {
		process_lose(LOSS_NO_SPOOL);
		return false;
	}
	while (!fits(spool, words) && spool->hot.end < chunk_end(spool))
		end_raise(spool);
	if (fits(spool, words))
		return true;		/* or a signal handler has been here */
	now = clock_monotonic_ns();
	if (now >= spool->retry_ns) {
		if (chunk_next(spool))
			return true;
		spool->retry_ns = now + RETRY_NS;
		spool->error = errno;
		say_once(errno == EDOM ? SAY_LIMIT : SAY_DISK_FULL, "events are being lost: %s: %s",
			 tacho_process.folder,
			 errno == EDOM ? "TACHO_MAX_SPOOL is reached" : strerror(errno));
	}
	loss_count(spool, spool->error);
	return false;
}

bool thread_room(struct thread *self, unsigned words)
{
	int saved = errno;
	uint64_t mask = sys_signals_block();
	bool made = room_make((struct spool *)self, words);

	sys_signals_restore(mask);
	errno = saved;
	return made;
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
	head->is_main = kind == SPOOL_KIND_THREAD && head->tid == head->pid;
	if (kind == SPOOL_KIND_SAMPLER)
		strcpy(head->name, "counters");
	else if (kind == SPOOL_KIND_GPU)
		strcpy(head->name, "GPU");
	else
		prctl(PR_GET_NAME, head->name);
	memcpy(head->magic, SPOOL_MAGIC, sizeof(head->magic));
}

/* Creates the file with its head and first chunk. */
static int spool_create(struct spool *spool, enum spool_kind kind)
{
	int fd = spool_file(spool, O_CREAT | O_EXCL);
	char *map;

	if (fd < 0)
		return -1;
	map = file_map(fd, 0, SPOOL_HEAD_SIZE + CHUNK_FIRST);
	sys_close(fd);
	if (!map)
		return -1;
	spool->hot.head = (struct spool_head *)(void *)map;
	spool->offset = SPOOL_HEAD_SIZE;
	spool->has_file = true;
	head_fill(spool, kind);
	chunk_begin(spool, map + SPOOL_HEAD_SIZE, CHUNK_FIRST);
	record_clock(spool);
	return 0;
}

/* Without a file, a head in memory lets the hot path work; every record is lost and counted. */
static int spool_without_file(struct spool *spool)
{
	void *page;

	say_once(SAY_THREAD, "a thread is not recorded: %s/thread.%u: %s", tacho_process.folder,
		 spool->number, strerror(errno));
	page = (void *)syscall(SYS_mmap, NULL, SPOOL_HEAD_SIZE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	spool->hot.head = page;
	return page == MAP_FAILED ? -1 : 0;
}

static struct spool *spool_open(enum spool_kind kind)
{
	struct spool *spool = spool_alloc();

	if (!spool)
		return NULL;
	spool->number = atomic_fetch_add(&tacho_process.nthreads, 1);
	if (spool_create(spool, kind) < 0 && spool_without_file(spool) < 0)
		return NULL;
	return spool;
}

static void thread_end(void *arg);

/*
 * The key is made here and not in a constructor: those of other libraries run
 * before ours and may do I/O, and an unmade key is key 0, somebody else's.
 */
static void thread_end_arm(struct spool *spool)
{
	if (!has_end_key)
		has_end_key = pthread_key_create(&end_key, thread_end) == 0;
	if (has_end_key)
		pthread_setspecific(end_key, spool);
}

struct thread *thread_open(void)
{
	struct spool *spool;

	if (thread_over)
		return NULL;
	spool = spool_open(SPOOL_KIND_THREAD);
	if (!spool)
		return NULL;
	thread_end_arm(spool);
	tacho_self = &spool->hot;
	return tacho_self;
}

struct thread *thread_open_kind(enum spool_kind kind)
{
	uint64_t mask = sys_signals_block();
	struct spool *spool;

	join_lock();
	spool = spool_open(kind);
	join_unlock();
	sys_signals_restore(mask);
	return spool ? &spool->hot : NULL;
}

static void spool_unmap(struct spool *spool)
{
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
	atomic_store(&spool->ahead, AHEAD_NONE);
}

void thread_forked(void)
{
	unused = NULL;
	for (struct spool *spool = spools; spool; spool = spool->next) {
		spool_unmap(spool);
		spool->has_file = false;
		spool->next_unused = unused;
		unused = spool;
	}
	tacho_self = NULL;
	thread_over = false;
	main_over = false;
}

/* Gives back what was reserved and not used. */
static void spool_trim(struct spool *spool)
{
	int64_t used = spool->offset -
		(int64_t)(chunk_end(spool) - (spool->hot.cursor & CURSOR_ADDRESS));
	int fd = spool_file(spool, 0);

	if (fd < 0)
		return;
	sys_ftruncate(fd, used);
	sys_close(fd);
}

static void spool_close(struct spool *spool)
{
	uint32_t seen = AHEAD_WANTED;

	if (!atomic_compare_exchange_strong(&spool->ahead, &seen, AHEAD_NONE))
		while (atomic_load(&spool->ahead) == AHEAD_MAKING)
			sched_yield();
	if (spool->has_file)
		spool_trim(spool);
	spool->has_file = false;
	spool_unmap(spool);
}

/*
 * Destructor of the thread's key: re-armed until the last round, so that others' destructors are
 * recorded.
 */
static void thread_end(void *arg)
{
	static __thread int rounds;
	struct spool *spool = arg;
	uint64_t mask;

	if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(end_key, spool))
		return;
	if (tacho_self != &spool->hot || atomic_load(tacho_gate) == GATE_UNDECIDED)
		return;			/* a forked child that did not join: the parent's spool */
	/* what a cancellation or pthread_exit unwound is over, too */
	spool->hot.cursor &= CURSOR_ADDRESS;
	for (int i = 0; i < SPOOL_MAX_DEPTH; i++)
		atomic_store_explicit(&spool->hot.head->inside[i].region, 0, memory_order_relaxed);
	span_record(&spool->hot, SPOOL_THREAD_END, 0, 0, (uint64_t[]){ (uint64_t)pthread_self() },
		    1);
	mask = sys_signals_block();
	thread_over = true;
	tacho_self = NULL;
	if (sys_tid() == tacho_process.pid)
		main_over = true;
	spool_close(spool);
	join_lock();
	spool->next_unused = unused;
	unused = spool;
	join_unlock();
	sys_signals_restore(mask);
}

/* Makes the pages of a chunk that its thread may have already, or may have left again. */
static void ahead_populate(char *chunk, size_t size)
{
	for (size_t done = 0; done < size; done += POPULATE_STEP)
		if (chunk_populate(chunk + done,
				   size - done < POPULATE_STEP ? size - done : POPULATE_STEP) < 0)
			return;
}

/* Maps the chunk that a thread wants next. */
static void ahead_make(struct spool *spool)
{
	static bool old_kernel;
	uint32_t seen = AHEAD_WANTED;
	size_t size = 0;
	char *chunk;

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

void thread_serve(void)
{
	for (struct spool *spool = atomic_load(&spools); spool; spool = spool->next)
		if (atomic_load_explicit(&spool->ahead, memory_order_relaxed) == AHEAD_WANTED)
			ahead_make(spool);
}

bool thread_main_is_over(void)
{
	return atomic_load(&main_over);
}

void thread_is_helper(void)
{
	thread_over = true;
}
