/*
 * thread.c - the spool of one thread: a file whose first page (head) stays
 * mapped while the thread lives, and behind it chunks that are mapped one
 * after the other. The thread is the only writer.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "chunk.h"
#include "clock.h"
#include "process.h"
#include "sys.h"
#include "thread.h"

#define CHUNK_FIRST	(16 << 10)	/* an idle thread costs little memory… */
#define CHUNK_MAX	(2 << 20)	/* …and a busy one few page faults */
#define CHUNK_GROWTH	4
#define RETRY_NS	100000000	/* between attempts on a full disk */

/* A thread's spool beyond what the hot path needs. */
struct spool {
	struct thread hot;		/* first: tacho_self points here */
	struct spool *next;		/* of the process's list */
	uint32_t number;
	char *chunk, *old;		/* being filled; the one before, see chunk_retire */
	size_t size, old_size;		/* of them, bytes */
	int64_t offset;			/* of the file: behind the last chunk */
	uint64_t retry_ns;		/* CLOCK_MONOTONIC: not before then */
	bool has_file;
};

__thread struct thread *tacho_self;
static __thread bool thread_over;	/* its spool was ended: late destructors record nothing */
static pthread_key_t end_key;
static struct spool *spools;		/* changed under the join lock */
static char *slab, *slab_end;
static struct spool *unused;

static struct spool *spool_alloc(void)
{
	struct spool *spool = unused;

	if (spool) {
		unused = spool->next;
		memset(spool, 0, sizeof(*spool));
		return spool;
	}
	if ((size_t)(slab_end - slab) < sizeof(*spool)) {
		slab = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (slab == MAP_FAILED) {
			slab = slab_end = NULL;
			return NULL;
		}
		slab_end = slab + 65536;
	}
	spool = (struct spool *)(void *)slab;
	slab += (sizeof(*spool) + 63) & ~(size_t)63;
	return spool;
}

static int spool_file(struct spool *spool, int flags)
{
	char path[PATH_MAX], name[24];

	snprintf(name, sizeof(name), "thread.%u", spool->number);
	process_path(path, name);
	return sys_open(path, O_RDWR | O_NOFOLLOW | flags, 0600);
}

/* Fills the chunk's rest, so that readers go on in the next one. */
static void chunk_close(struct spool *spool)
{
	uint64_t at = spool->hot.cursor & CURSOR_ADDRESS;
	uint64_t rest = (uint64_t)(uintptr_t)spool->chunk + spool->size - at;

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

static void chunk_begin(struct spool *spool, char *chunk, size_t size)
{
	uint64_t depth = spool->hot.cursor & ~CURSOR_ADDRESS;

	chunk_retire(spool);
	spool->chunk = chunk;
	spool->size = size;
	spool->offset += (int64_t)size;
	spool->hot.end = (uint64_t)(uintptr_t)chunk + size;
	spool->hot.cursor = depth | (uint64_t)(uintptr_t)chunk;
}

static void record_clock(struct spool *spool)
{
	struct spool_def_clock now = clock_read();

	span_record(&spool->hot, SPOOL_CLOCK, 0, 0, (uint64_t[]){ now.monotonic_ns, now.realtime_ns }, 2);
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

static bool chunk_next(struct spool *spool)
{
	size_t size = spool->size ? spool->size * CHUNK_GROWTH : CHUNK_FIRST;
	char *chunk = NULL;

	if (size > CHUNK_MAX)
		size = CHUNK_MAX;
	for (; !chunk && size >= CHUNK_FIRST; size /= 2) {
		chunk = chunk_map(spool, size);
		if (chunk)
			break;
		if (errno != ENOSPC && errno != EDQUOT)
			break;
	}
	if (!chunk)
		return false;
	if (spool->chunk)
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

static bool room_make(struct spool *spool, unsigned words)
{
	uint64_t now;

	if (fits(spool, words))
		return true;		/* a signal handler has been here */
	if (!spool->has_file) {
		process_lose(LOSS_NO_SPOOL);
		return false;
	}
	now = clock_monotonic_ns();
	if (now >= spool->retry_ns) {
		if (chunk_next(spool))
			return true;
		spool->retry_ns = now + RETRY_NS;
		say_once(SAY_DISK_FULL, "events are being lost: %s: %s", tacho_process.folder, strerror(errno));
	}
	atomic_fetch_add_explicit(&spool->hot.head->lost[LOSS_DISK_FULL], 1, memory_order_relaxed);
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

static void head_fill(struct spool *spool)
{
	struct spool_head *head = spool->hot.head;

	head->version = SPOOL_VERSION;
	head->nregions = REGION_COUNT;
	head->kind = SPOOL_KIND_THREAD;
	head->clock = tacho_clock_is_tsc ? SPOOL_CLOCK_TSC : SPOOL_CLOCK_MONOTONIC;
	head->pid = sys_pid();
	head->tid = sys_tid();
	head->number = spool->number;
	head->is_main = head->tid == head->pid;
	prctl(PR_GET_NAME, head->name);
	memcpy(head->magic, SPOOL_MAGIC, sizeof(head->magic));
}

/* Creates the file with its head and first chunk. */
static int spool_create(struct spool *spool)
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
	head_fill(spool);
	chunk_begin(spool, map + SPOOL_HEAD_SIZE, CHUNK_FIRST);
	record_clock(spool);
	return 0;
}

struct thread *thread_open(void)
{
	struct spool *spool;

	if (thread_over)
		return NULL;
	spool = spool_alloc();
	if (!spool)
		return NULL;
	spool->number = atomic_fetch_add(&tacho_process.nthreads, 1);
	if (spool_create(spool) < 0) {
		say_once(SAY_THREAD, "a thread is not recorded: %s/thread.%u: %s", tacho_process.folder,
			 spool->number, strerror(errno));
		spool->hot.head = mmap(NULL, SPOOL_HEAD_SIZE, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (spool->hot.head == MAP_FAILED)
			return NULL;
	}
	spool->next = spools;
	spools = spool;
	pthread_setspecific(end_key, spool);
	tacho_self = &spool->hot;
	return tacho_self;
}

void thread_forked(void)
{
	for (struct spool *spool = spools; spool; spool = spool->next) {
		if (spool->chunk)
			sys_munmap(spool->chunk, spool->size);
		if (spool->old)
			sys_munmap(spool->old, spool->old_size);
		sys_munmap(spool->hot.head, SPOOL_HEAD_SIZE);
	}
	spools = NULL;
	tacho_self = NULL;
	thread_over = false;
}

/* Destructor of the thread's key: re-armed until the last round, so that others' destructors are recorded. */
static void thread_end(void *arg)
{
	static __thread int rounds;
	struct spool *spool = arg;

	if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(end_key, spool))
		return;
	if (tacho_self != &spool->hot)
		return;
	span_record(&spool->hot, SPOOL_THREAD_END, 0, 0, (uint64_t[]){ (uint64_t)pthread_self() }, 1);
	thread_over = true;
	tacho_self = NULL;
}

void thread_start(void)
{
	pthread_key_create(&end_key, thread_end);
}
