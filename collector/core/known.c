/*
 * known.c - see known.h.
 *
 * RATIONALE: a training of small files opens each of them in every epoch, and a definition costs
 * more than the file's opening where its path is relative (getcwd), besides its bytes. Only the
 * current directory that a path is relative to may change unseen, by a move of that directory or by
 * libc itself (nftw): the file found is the same then, under its old name. In a forked child no tag
 * of its parent's is found, as a tag has the begin of the process in it: emptying the table would
 * touch its pages.
 */
#include "config.h"

#include <string.h>

#include "core/handle.h"
#include "core/known.h"
#include "core/process.h"
#include "core/sys.h"

/* By inode: a folder's inodes often follow each other, so their entries share pages. */
#define SETS 32768
#define WAYS 2

static struct known {
	_Atomic uint64_t tag; /* 0: there is none */
	_Atomic uint32_t entry;
	_Atomic bool is_taken; /* by a descriptor, or a searching thread */
} sets[SETS][WAYS];

static _Atomic uint32_t held[HANDLE_FDS]; /* by descriptor: its place + 1; 0: it has none */
static _Atomic uint64_t moves;

static uint64_t mix(uint64_t tag, uint64_t word)
{
	tag = (tag ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return tag ^ tag >> 29;
}

static uint64_t tag_of(const struct stat *st, int flags, const char *path)
{
	size_t n = strlen(path);
	uint64_t tag = mix(n, tacho_process.start_ticks), word = 0;

	tag = mix(mix(mix(tag, st->st_dev), st->st_ino), (uint64_t)flags);
	if (*path != '/')
		tag = mix(tag, atomic_load_explicit(&moves, memory_order_relaxed) + 1);
	for (; n >= sizeof(word); n -= sizeof(word), path += sizeof(word)) {
		memcpy(&word, path, sizeof(word));
		tag = mix(tag, word);
	}
	word = 0;
	memcpy(&word, path, n);
	tag = mix(tag, word);
	return tag ? tag : 1;
}

static bool take(struct known *known)
{
	return !atomic_load_explicit(&known->is_taken, memory_order_relaxed) &&
		!atomic_exchange(&known->is_taken, true);
}

/*
 * An entry for a new one: a free one if possible, else a closed file's; NULL: all are of open
 * files.
 */
static struct known *place_take(struct known *set, uint64_t tag)
{
	for (int is_full = 0; is_full < 2; is_full++)
		for (unsigned way = 0; way < WAYS; way++) {
			struct known *known = &set[(tag + way) % WAYS];

			if ((is_full || !atomic_load(&known->tag)) && take(known))
				return known;
		}
	return NULL;
}

struct known *known_take(const struct stat *st, int flags, const char *path, uint32_t *entry)
{
	uint64_t tag = tag_of(st, flags, path);
	struct known *set = sets[st->st_ino % SETS], *known;

	*entry = 0;
	for (known = set; known < set + WAYS; known++) {
		if (atomic_load(&known->tag) != tag || !take(known))
			continue;
		if (atomic_load(&known->tag) == tag) {
			*entry = atomic_load(&known->entry);
			return known;
		}
		atomic_store(&known->is_taken, false);
	}
	known = place_take(set, tag);
	if (known)
		atomic_store(&known->tag, tag);
	return known;
}

void known_put(struct known *known, int fd, uint32_t entry)
{
	known_close(fd); /* closed by what no wrapper sees */
	atomic_store_explicit(&known->entry, entry, memory_order_relaxed);
	atomic_store_explicit(&held[fd], (uint32_t)(known - sets[0]) + 1, memory_order_relaxed);
}

void known_drop(struct known *known)
{
	atomic_store(&known->tag, 0);
	atomic_store(&known->is_taken, false);
}

void known_close(int fd)
{
	uint32_t place = atomic_load_explicit(&held[fd], memory_order_relaxed);

	if (place && atomic_compare_exchange_strong(&held[fd], &place, 0))
		atomic_store_explicit(&sets[0][place - 1].is_taken, false, memory_order_release);
}

void known_move(void)
{
	atomic_fetch_add(&moves, 1);
}
