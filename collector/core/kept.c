/* kept.c - see kept.h. Runs on a thread that holds the ring's lock. */
#include "config.h"

#include "core/budget.h"
#include "core/chunk.h"
#include "core/keep.h"
#include "core/kept.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/sys.h"

#define PART_OF	     4u /* of the process's share may be kept */
#define SUMS_WORDS   (sizeof(struct totals_sums) / 8)
#define FALLOC_PUNCH 3 /* FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE */

static _Atomic uint64_t kept_bytes; /* of the process */
static _Atomic bool is_off;	    /* kept space cannot be given back here */

/* Room for one entry on its way into the file. */
struct scratch {
	struct totals_sums before;
	struct kept_change changes[2 * SUMS_WORDS];
};

void kept_forked(void)
{
	kept_bytes = 0;
}

static int64_t entry_offset(unsigned i)
{
	return (int64_t)(i * sizeof(struct kept_entry));
}

static void place_free(struct kept *kept, int fd, unsigned i)
{
	struct kept_place *place = &kept->places[i];
	static const struct kept_entry none;

	if (file_write(fd, entry_offset(i), &none, sizeof(none)) < 0)
		return;
	if (syscall(SYS_fallocate, fd, FALLOC_PUNCH, (long)place->offset, (long)place->size) < 0) {
		atomic_store(&is_off, true);
	} else {
		budget_add(-(int64_t)place->size);
		atomic_fetch_sub(&kept_bytes, place->size);
	}
	place->end = 0;
}

void kept_release(struct kept *kept, uint32_t spool)
{
	struct keep_window windows[KEEP_MOST];
	uint32_t generation = keep_generation();
	unsigned n;
	int fd;

	if (!kept->has_file || kept->generation == generation)
		return;
	n = keep_windows(0, UINT64_MAX, windows);
	fd = n ? process_spool_open("kept", spool, 0) : -1;
	if (fd < 0)
		return;
	for (unsigned i = 0; i < KEPT_ENTRIES; i++) {
		struct kept_place *place = &kept->places[i];
		bool is_wanted = !place->end;

		for (unsigned k = 0; k < n && !is_wanted; k++)
			is_wanted = windows[k].begin <= place->end &&
				windows[k].end >= place->begin;
		if (!is_wanted)
			place_free(kept, fd, i);
	}
	sys_close(fd);
	kept->generation = generation;
}

uint64_t kept_drop(struct kept *kept)
{
	uint64_t bytes = kept->has_file ? KEPT_SIZE : 0;

	for (unsigned i = 0; i < KEPT_ENTRIES; i++)
		if (kept->places[i].end)
			bytes += kept->places[i].size;
	atomic_fetch_sub(&kept_bytes, bytes);
	return bytes;
}

/* A free place; one that has room enough in the file, if there is. */
static int place_find(const struct kept *kept, uint64_t size)
{
	int found = -1;

	for (int i = 0; i < KEPT_ENTRIES; i++) {
		if (kept->places[i].end)
			continue;
		if (kept->places[i].room >= size)
			return i;
		if (found < 0 || kept->places[i].room < kept->places[found].room)
			found = i;
	}
	return found;
}

/* Whether so many bytes may be kept more, where others are kept no longer if need be. */
static bool room_make(struct kept *kept, uint32_t spool, uint64_t size)
{
	uint64_t most = budget_limit() / PART_OF;

	if (size > most / 2 || atomic_load(&is_off))
		return false;
	kept_release(kept, spool);
	/* one that is dropped frees nothing where those next to it are kept: all but the slowest may go */
	while (atomic_load(&kept_bytes) + size > most) {
		if (!keep_fewer())
			return false;
		kept_release(kept, spool);
	}
	return atomic_load(&kept_bytes) + size <= most && place_find(kept, size) >= 0;
}

static uint32_t changes_make(const struct totals_sums *from, const struct totals_sums *to,
	struct kept_change *out)
{
	const uint64_t *a = (const uint64_t *)(const void *)from,
		       *b = (const uint64_t *)(const void *)to;
	uint32_t n = 0;

	for (size_t i = 0; i < SUMS_WORDS; i++)
		if (a[i] != b[i])
			out[n++] = (struct kept_change){ i, b[i] };
	return n;
}

/* 0, or -1: it is not there. */
static int entry_write(int fd, unsigned i, const struct kept_entry *entry,
	const struct kept_change *changes, const uint64_t *records)
{
	uint64_t nchanges = (uint64_t)(entry->before + entry->after) * sizeof(*changes);

	if (file_write(fd, (int64_t)entry->offset, changes, nchanges) < 0 ||
		file_write(fd, (int64_t)(entry->offset + nchanges), records, entry->words * 8) < 0)
		return -1;
	return file_write(fd, entry_offset(i), entry, sizeof(*entry));
}

static void entry_keep(struct kept *kept, const struct kept_chunk *chunk, struct kept_entry *entry,
	const struct kept_change *changes, const uint64_t *records)
{
	uint64_t size = (entry->before + entry->after) * sizeof(*changes) + entry->words * 8;
	struct kept_place *place;
	int fd, i;

	size = (size + 4095) / 4096 * 4096;
	if (!room_make(kept, chunk->spool, size + (kept->has_file ? 0 : KEPT_SIZE)))
		return;
	fd = process_spool_open("kept", chunk->spool, O_CREAT);
	if (fd < 0)
		return;
	if (!kept->has_file) {
		kept->has_file = true;
		kept->end = KEPT_SIZE;
		budget_add(KEPT_SIZE);
		atomic_fetch_add(&kept_bytes, KEPT_SIZE);
	}
	i = place_find(kept, size);
	place = &kept->places[i];
	if (place->room < size) {
		place->offset = kept->end;
		place->room = size;
		kept->end += size;
	}
	place->begin = chunk->begin;
	place->end = chunk->end;
	place->size = size;
	entry->offset = place->offset;
	entry->check = kept_check(entry, changes, records);
	budget_add((int64_t)size);
	atomic_fetch_add(&kept_bytes, size);
	if (entry_write(fd, (unsigned)i, entry, changes, records) < 0)
		place_free(kept, fd, (unsigned)i);
	sys_close(fd);
}

/* Adds records to the sums, and keeps them. */
static void records_keep(struct kept *kept, struct totals_sums *sums,
	const struct totals_list *list, const struct kept_chunk *chunk, size_t size)
{
	struct scratch *scratch = sys_map(sizeof(*scratch), MAP_PRIVATE);
	struct kept_entry entry = { .chunk = chunk->number + 1,
		.nth = sums->records,
		.words = size / 8 };

	if (scratch == MAP_FAILED) {
		totals_add(sums, list, chunk->at, size);
		return;
	}
	entry.before = changes_make(&scratch->before, sums, scratch->changes);
	scratch->before = *sums;
	totals_add(sums, list, chunk->at, size);
	entry.after = changes_make(&scratch->before, sums, scratch->changes + entry.before);
	entry_keep(kept, chunk, &entry, scratch->changes, chunk->at);
	sys_munmap(scratch, sizeof(*scratch));
}

void kept_add(struct kept *kept, struct totals_sums *sums, const struct totals_list *list,
	const struct kept_chunk *chunk)
{
	struct keep_window windows[KEEP_MOST];
	unsigned n = keep_windows(chunk->begin, chunk->end, windows);
	const uint64_t *at = chunk->at, *end = at + chunk->size / 8;

	for (unsigned i = 0; i < n; i++) {
		const uint64_t *from = totals_find(at, (size_t)(end - at) * 8, windows[i].begin),
			       *to = totals_find(from, (size_t)(end - from) * 8,
				       windows[i].end + 1);
		struct kept_chunk part = *chunk;

		if (from == to)
			continue;
		totals_add(sums, list, at, (size_t)(from - at) * 8);
		part.at = from;
		part.begin = windows[i].begin;
		part.end = windows[i].end;
		records_keep(kept, sums, list, &part, (size_t)(to - from) * 8);
		at = to;
	}
	totals_add(sums, list, at, (size_t)(end - at) * 8);
}
