/* ring_sums.c - see ring_sums.h. */
#include "config.h"

#include <string.h>

#include "core/chunk.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/ring_sums.h"
#include "core/sys.h"
#include "core/totals.h"

#define LIST_LEAST 4096u       /* bytes of the list, which most threads have no use for… */
#define LIST_STEP  (64u << 10) /* …that are reserved at once */

void ring_sums_unmap(struct ring_sums *sums)
{
	struct totals *totals = sums->totals;

	/* first: a child forked meanwhile unmaps the mapping that it finds here */
	*(struct totals *volatile *)&sums->totals = NULL;
	if (totals)
		sys_munmap(totals, TOTALS_SIZE + sums->list_size);
}

uint64_t ring_sums_bytes(const struct ring_sums *sums)
{
	return sums->list_size ? TOTALS_SIZE + sums->list_size : 0;
}

/* Reserves the file up to `list` bytes of the list. False without room. */
static bool file_grow(struct ring_sums *sums, int fd, uint64_t list)
{
	uint64_t begin = ring_sums_bytes(sums), size = TOTALS_SIZE + list - begin;
	void *map = file_map(fd, (int64_t)begin, size);

	if (!map)
		return false;
	sys_munmap(map, size);
	sums->list_size = list;
	return true;
}

/* Maps the file with a list of so many bytes, or of its present size; made when missing. */
static bool totals_map(struct ring_sums *sums, uint32_t spool, uint64_t list)
{
	int fd;
	void *map = MAP_FAILED;

	if (sums->totals && sums->list_size >= list)
		return true;
	ring_sums_unmap(sums);
	fd = process_spool_open(sums->name, spool, O_CREAT);
	if (fd < 0)
		return false;
	if (sums->list_size < list)
		file_grow(sums, fd, list);
	if (sums->list_size)
		map = sys_map_file(fd, 0, TOTALS_SIZE + sums->list_size, PROT_READ | PROT_WRITE);
	sys_close(fd);
	sums->totals = map == MAP_FAILED ? NULL : map;
	return sums->totals != NULL;
}

void ring_sums_reserve(struct ring_sums *sums, uint32_t spool)
{
	if (!sums->list_size && totals_map(sums, spool, LIST_LEAST))
		ring_sums_unmap(sums);
}

static void totals_begin(struct totals *totals)
{
	totals->version = SPOOL_VERSION;
	totals->nregions = REGION_COUNT;
	totals->size = sizeof(*totals);
	memcpy(totals->magic, TOTALS_MAGIC, sizeof(totals->magic));
}

/* Bytes of a list in which so many steps have room, as far as it may grow. */
static uint64_t list_wanted(const struct ring_sums *sums, uint64_t spans)
{
	uint64_t most = sums->list_most, wanted = totals_room(spans) * sizeof(struct totals_span);

	if (wanted <= LIST_LEAST)
		return LIST_LEAST;
	wanted = (wanted + LIST_STEP - 1) / LIST_STEP * LIST_STEP;
	most = most < LIST_STEP ? LIST_STEP : most / LIST_STEP * LIST_STEP;
	return wanted < most ? wanted : most;
}

bool ring_sums_add(struct ring_sums *sums, const struct kept_chunk *chunk)
{
	struct totals_list list;
	struct totals *totals;
	uint32_t counts;

	if (!totals_map(sums, chunk->spool, sums->list_size ? sums->list_size : LIST_LEAST))
		return false;
	if (!sums->totals->version)
		totals_begin(sums->totals);
	counts = atomic_load(&sums->totals->counts);
	if (!totals_map(sums, chunk->spool,
		    list_wanted(sums,
			    sums->totals->sums[counts].spans +
				    totals_spans(chunk->at, chunk->size))))
		return false;
	totals = sums->totals;
	list = (struct totals_list){ (struct totals_span *)(void *)((char *)totals + TOTALS_SIZE),
		sums->list_size / sizeof(struct totals_span) };
	totals->sums[!counts] = totals->sums[counts];
	if (sums->is_in_order)
		kept_add(&sums->kept, &totals->sums[!counts], &list, chunk);
	else
		totals_add(&totals->sums[!counts], &list, chunk->at, chunk->size);
	totals->sums[!counts].chunks = chunk->number + 1;
	atomic_store(&totals->counts, !counts);
	return true;
}
