/* python_tally.c - see python_tally.h. One thread uses it. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "core/chunk.h"
#include "core/loss.h"
#include "core/define.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/sys.h"
#include "python/python_tally.h"

#define STACKS	     32768 /* power of two */
#define STACKS_MOST  16384 /* places in the tree of calls */
#define ENTRIES	     8192  /* power of two */
#define ENTRIES_MOST 4096
/* Up to here names of modules tell stacks apart. */
#define STACKS_OF_MODULES  (STACKS_MOST / 4 * 3)
#define ENTRIES_OF_MODULES (ENTRIES_MOST / 4 * 3)
#define PIECE		   (16 << 10) /* bytes that the file grows by */

#define ENTRIES_FIRST ((PIECE - sizeof(struct spool_python)) / sizeof(struct spool_python_entry))
#define ENTRIES_PIECE (PIECE / sizeof(struct spool_python_entry))
#define PIECES	      (2 + (ENTRIES_MOST - ENTRIES_FIRST) / ENTRIES_PIECE)

static struct tally_memory {
	struct {
		uint32_t parent, code, line, id; /* id 0: none */
	} stacks[STACKS];
	uint16_t entries[ENTRIES]; /* number of an entry, from 1; 0: none */
	uint32_t nstacks;
} * memory;

static char *pieces[PIECES];
static uint32_t nentries, npieces;

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ b * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;

	return x ^ x >> 32;
}

static int piece_add(void)
{
	void *piece;
	int fd;

	if (npieces == PIECES)
		return -1;
	fd = process_file_open("python", O_RDWR | (npieces ? 0 : O_CREAT | O_EXCL));
	if (fd < 0)
		return -1;
	piece = file_map(fd, (int64_t)npieces * PIECE, PIECE);
	sys_close(fd);
	if (!piece)
		return -1;
	pieces[npieces++] = piece;
	return 0;
}

static struct spool_python *head(void)
{
	return (struct spool_python *)(void *)pieces[0];
}

static struct spool_python_entry *entry_at(uint32_t i)
{
	if (i < ENTRIES_FIRST)
		return (struct spool_python_entry *)(void *)(pieces[0] +
			       sizeof(struct spool_python)) +
			i;
	i -= ENTRIES_FIRST;
	return (struct spool_python_entry *)(void *)pieces[1 + i / ENTRIES_PIECE] +
		i % ENTRIES_PIECE;
}

static bool key_is(const struct spool_python_key *a, const struct spool_python_key *b)
{
	return a->thread == b->thread && a->stack == b->stack && a->phase == b->phase &&
		a->region == b->region;
}

/* A new entry; the last one takes what no other has room for. NULL: there is not even that. */
static struct spool_python_entry *entry_new(const struct spool_python_key *key, uint16_t *place)
{
	static const struct spool_python_key others = { .thread = SPOOL_PYTHON_NO_THREAD,
		.stack = SPOOL_PYTHON_OTHERS };
	bool is_full = nentries + 1 >= ENTRIES_MOST;
	struct spool_python_entry *entry;

	if (nentries == ENTRIES_MOST)
		return entry_at(ENTRIES_MOST - 1);
	if (nentries >= ENTRIES_FIRST + (npieces - 1) * ENTRIES_PIECE && piece_add() < 0)
		return NULL;
	entry = entry_at(nentries++);
	entry->key = is_full ? others : *key;
	if (!is_full)
		*place = (uint16_t)nentries;
	return entry;
}

static struct spool_python_entry *entry_find(const struct spool_python_key *key)
{
	size_t at = mix((uint64_t)key->thread << 32 | key->stack,
			    (uint64_t)key->phase << 32 | key->region) %
		ENTRIES;

	for (; memory->entries[at]; at = (at + 1) % ENTRIES)
		if (key_is(&entry_at(memory->entries[at] - 1u)->key, key))
			return entry_at(memory->entries[at] - 1u);
	return entry_new(key, &memory->entries[at]);
}

void tally_last(uint32_t thread, uint32_t stack)
{
	if (thread < SPOOL_PYTHON_LAST && stack != SPOOL_PYTHON_OTHERS)
		atomic_store_explicit(&head()->last[thread], stack, memory_order_release);
}

void tally_add(const struct spool_python_key *key, uint64_t ns)
{
	struct spool_python_entry *entry = entry_find(key);

	if (!entry) {
		process_lose(loss_of_error(errno));
		return;
	}
	atomic_store_explicit(&entry->ns, entry->ns + ns, memory_order_relaxed);
	atomic_store_explicit(&entry->samples, entry->samples + 1, memory_order_release);
}

void tally_cost(uint64_t ns)
{
	atomic_store_explicit(&head()->cost_ns, ns, memory_order_relaxed);
}

/* The place in the table of a stack, which is empty where it is new. */
static size_t stack_find(uint32_t parent, uint32_t code, uint32_t line)
{
	size_t at = mix((uint64_t)parent << 32 | code, line) % STACKS;

	for (; memory->stacks[at].id; at = (at + 1) % STACKS)
		if (memory->stacks[at].parent == parent && memory->stacks[at].code == code &&
			memory->stacks[at].line == line)
			break;
	return at;
}

uint32_t tally_stack(uint32_t parent, uint32_t code, uint32_t line)
{
	struct spool_def_python_stack body = { .parent = parent, .code = code, .line = line };
	struct def def = { .type = DEF_PYTHON_STACK, .body = &body, .nbody = sizeof(body) };
	size_t at = stack_find(parent, code, line);

	if (memory->stacks[at].id)
		return memory->stacks[at].id;
	if (!code || memory->nstacks == STACKS_MOST)
		return SPOOL_PYTHON_OTHERS;
	def.id = process_allot(DEF_PYTHON_STACK);
	if (process_define(&def) < 0)
		return SPOOL_PYTHON_OTHERS;
	memory->stacks[at].parent = parent;
	memory->stacks[at].code = code;
	memory->stacks[at].line = line;
	memory->stacks[at].id = def.id;
	memory->nstacks++;
	return def.id;
}

uint32_t tally_module(uint32_t parent, uint32_t code)
{
	uint32_t known = memory->stacks[stack_find(parent, code, 0)].id, number;

	if (known || nentries >= ENTRIES_OF_MODULES || memory->nstacks >= STACKS_OF_MODULES)
		return known ? known : parent;
	number = tally_stack(parent, code, 0);
	return number == SPOOL_PYTHON_OTHERS ? parent : number;
}

int tally_start(uint32_t period_us)
{
	void *map = sys_map(sizeof(*memory), MAP_PRIVATE | MAP_NORESERVE);

	if (map == MAP_FAILED)
		return -1;
	memory = map;
	if (piece_add() < 0)
		return -1;
	head()->version = SPOOL_VERSION;
	head()->period_us = period_us;
	memcpy(head()->magic, SPOOL_PYTHON_MAGIC, sizeof(head()->magic));
	return 0;
}

void tally_forked(void)
{
	for (uint32_t i = 0; i < npieces; i++)
		sys_munmap(pieces[i], PIECE);
	if (memory)
		sys_munmap(memory, sizeof(*memory));
	memory = NULL;
	nentries = npieces = 0;
}
