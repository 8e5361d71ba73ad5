/* defs.c - see defs.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "core/folder.h"
#include "core/define.h"
#include "core/budget.h"
#include "core/chunk.h"
#include "core/defs.h"
#include "core/stay.h"
#include "core/sys.h"

#define CHUNK_FIRST 4096u /* a short process defines a dozen properties… */
#define CHUNK_MOST  (256u << 10)
enum {
	CHUNKS = 512,
	CHUNKS_SMALL = 256
}; /* …and one that opens millions of files has larger ones */

static struct {
	struct defs_chunk {
		char *at;
		uint32_t size;
		_Atomic uint32_t used; /* bytes; there may be some more */
	} chunks[CHUNKS];
	_Atomic uint32_t n;
	bool is_lent;	       /* the first one: it is before the file's chunks */
	int64_t end;	       /* of the file */
	_Atomic uint32_t lock; /* of the thread that makes a chunk */
} defs;

/* The first 8 bytes of struct spool_def as they are in memory. */
union first {
	struct {
		uint32_t size;
		uint16_t type, reserved;
	} of;
	uint64_t word;
};

_Static_assert(offsetof(struct spool_def, size) == 0 && offsetof(struct spool_def, type) == 4 &&
		offsetof(struct spool_def, id) == 8,
	"the first word of a definition is its size and type");

/* A place of `size` bytes in the chunk, a pad until its type is stored; NULL: there is no room. */
static char *place_take(struct defs_chunk *chunk, uint32_t size)
{
	uint32_t at = atomic_load(&chunk->used);
	const union first pad = { .of = { size, DEF_PAD, 0 } };

	/* no rest is left that is shorter than a definition */
	while (at + size == chunk->size || at + size + sizeof(struct spool_def) <= chunk->size) {
		union first seen = { 0 };

		if (atomic_compare_exchange_strong((_Atomic uint64_t *)(void *)(chunk->at + at),
			    &seen.word, pad.word)) {
			atomic_store(&chunk->used, at + size);
			return chunk->at + at;
		}
		at += seen.of.size; /* another thread's, or of the code that this handler interrupts */
	}
	return NULL;
}

/* So that readers find the next chunk: nothing more fits in this one. */
static void chunk_fill(struct defs_chunk *chunk)
{
	uint32_t at = atomic_load(&chunk->used);

	while (at < chunk->size) {
		const union first pad = { .of = { chunk->size - at, DEF_PAD, 0 } };
		union first seen = { 0 };

		if (atomic_compare_exchange_strong((_Atomic uint64_t *)(void *)(chunk->at + at),
			    &seen.word, pad.word))
			break;
		at += seen.of.size;
	}
	atomic_store(&chunk->used, chunk->size);
}

struct defs_making {
	int flags;
	uint32_t size;
	char *at;
	int error;
};

static void chunk_map(void *arg)
{
	struct defs_making *making = arg;
	int fd = process_file_open("process", O_RDWR | making->flags);

	if (fd >= 0)
		making->at = file_map(fd, defs.end, making->size);
	making->error = errno;
	if (fd >= 0)
		sys_close(fd);
}

static int chunk_add(uint32_t size, int flags)
{
	struct defs_making making = { .flags = flags, .size = size, .error = EAGAIN };
	uint32_t n = atomic_load(&defs.n);
	struct defs_chunk *chunk = &defs.chunks[n];

	if (n == CHUNKS) {
		errno = ENOSPC;
		return -1;
	}
	if (task_run(chunk_map, &making) < 0)
		return -1;
	if (!making.at) {
		errno = making.error;
		return -1;
	}
	*chunk = (struct defs_chunk){ .at = making.at, .size = size };
	defs.end += size;
	if (n) {
		chunk_fill(chunk - 1);
		/* another thread may still write its last one, which maps the page again */
		if (n > 1 || !defs.is_lent)
			sys_madvise(chunk[-1].at, chunk[-1].size, MADV_DONTNEED);
	}
	atomic_store(&defs.n, n + 1);
	return 0;
}

/* The chunk after number `n`, with room for `least` bytes, unless another thread has made it. */
static int chunk_next(uint32_t n, uint32_t least)
{
	uint64_t mask = sys_signals_block(), grown = (uint64_t)defs.end;
	int ret = 0;

	/* a forked child finds its parent's lock stale; it has forgotten the chunks as well */
	stay_lock(&defs.lock);
	grown = grown < CHUNK_FIRST ? CHUNK_FIRST : grown;
	if (grown > CHUNK_MOST && n < CHUNKS_SMALL)
		grown = CHUNK_MOST;
	if (grown > 64 * CHUNK_MOST)
		grown = 64 * CHUNK_MOST;
	while (grown < least)
		grown *= 2;
	grown &= ~(uint64_t)4095;
	if (atomic_load(&defs.n) == n)
		ret = chunk_add((uint32_t)grown, defs.end ? 0 : O_CREAT | O_EXCL);
	atomic_store(&defs.lock, 0);
	sys_signals_restore(mask);
	return ret;
}

static char *room_take(uint32_t size)
{
	for (;;) {
		uint32_t n = atomic_load(&defs.n);
		char *at = n ? place_take(&defs.chunks[n - 1], size) : NULL;

		if (at || !n)
			return at;
		if (chunk_next(n, size + (uint32_t)sizeof(struct spool_def)) < 0)
			return NULL;
	}
}

static char *piece(char *to, const void *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
	return to + n;
}

int defs_append(const struct def *def)
{
	size_t nkey = def->key ? strlen(def->key) + 1 : 0;
	size_t ntext = !def->text ? 0 : def->ntext ? def->ntext : strlen(def->text);
	size_t size = sizeof(struct spool_def) + def->nbody + def->nlist + nkey + ntext;
	union first first = { .of = { (uint32_t)((size + 7) & ~(size_t)7), (uint16_t)def->type,
				      0 } };
	char *at = room_take(first.of.size), *to;
	struct spool_def *head = (struct spool_def *)(void *)at;

	if (!at)
		return -1;
	head->id = def->id;
	head->text = (uint32_t)(nkey + ntext);
	to = piece(at + sizeof(*head), def->body, def->nbody);
	to = piece(to, def->list, def->nlist);
	to = piece(to, def->key, nkey);
	piece(to, def->text, ntext);
	atomic_store_explicit((_Atomic uint64_t *)(void *)at, first.word, memory_order_release);
	return 0;
}

int defs_create(void)
{
	return chunk_add(CHUNK_FIRST, O_CREAT | O_EXCL);
}

void defs_begin(char *at, uint32_t size)
{
	defs.chunks[0] = (struct defs_chunk){ .at = at, .size = size };
	defs.is_lent = true;
	atomic_store(&defs.n, 1);
}

bool defs_have_file(void)
{
	return defs.end != 0;
}

const char *defs_first(size_t *size)
{
	*size = defs.n ? atomic_load(&defs.chunks[0].used) : 0;
	return defs.chunks[0].at;
}

void defs_forget(void)
{
	for (uint32_t i = defs.is_lent; i < defs.n; i++)
		sys_munmap(defs.chunks[i].at, defs.chunks[i].size);
	defs.n = 0;
	defs.is_lent = false;
	defs.end = 0;
	defs.lock = 0;
}

void defs_trim(void)
{
	uint32_t n = atomic_load(&defs.n), used;
	struct defs_chunk *last = n ? &defs.chunks[n - 1] : NULL;

	if (!last || !defs.end)
		return;
	used = (atomic_load(&last->used) + 4095u) & ~4095u;
	/* a hole and no shorter file: what another thread still defines has its page then */
	if (used < last->size && sys_madvise(last->at + used, last->size - used, MADV_REMOVE) == 0)
		budget_add(-(int64_t)(last->size - used));
}
