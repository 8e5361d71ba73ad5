/* gpu_read.c - records of devices in the order of their starts; see merge_gpu.h. */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/log.h"
#include "merge/gpu/gpu.h"

#define BLOCK_WORDS (128u << 10) /* 1 MiB */
#define DROP_BLOCKS 16		 /* between looks which pages are needed no more */

int gpu_open(struct process *p)
{
	p->gpu = calloc(1, sizeof(*p->gpu));
	if (!p->gpu)
		return -1;
	for (unsigned i = 0; i < p->spool->nthreads; i++) {
		struct gpu_spool *grown;

		if (p->spool->threads[i]->head.kind != SPOOL_KIND_GPU)
			continue;
		grown = realloc(p->gpu->spools, (p->gpu->nspools + 1) * sizeof(*grown));
		if (!grown)
			return -1;
		p->gpu->spools = grown;
		grown[p->gpu->nspools++] = (struct gpu_spool){ .thread = p->spool->threads[i] };
	}
	return 0;
}

void gpu_free(struct process *p)
{
	for (uint32_t i = 0; p->gpu && i < p->gpu->nspools; i++)
		free(p->gpu->spools[i].blocks);
	if (p->gpu) {
		free(p->gpu->spools);
		free(p->gpu->streams);
		free(p->gpu->launches);
		free(p->gpu->calls.at);
		free(p->gpu->sites.at);
		free(p->gpu->marked.at);
		free(p->gpu->sums.at);
		free(p->gpu->windows.at);
		free(p->gpu->offs.at);
	}
	free(p->gpu);
	p->gpu = NULL;
}

static struct gpu_block *block_add(struct gpu_spool *spool)
{
	struct gpu_block *grown;

	if ((spool->nblocks & (spool->nblocks - 1)) == 0) {
		grown = realloc(spool->blocks,
			(spool->nblocks ? 2 * spool->nblocks : 1) * sizeof(*grown));
		if (!grown) {
			log_error("out of memory");
			return NULL;
		}
		spool->blocks = grown;
	}
	spool->blocks[spool->nblocks] = (struct gpu_block){ UINT64_MAX, 0 };
	return &spool->blocks[spool->nblocks++];
}

/* Splits a spool into stretches, each with the earliest start from it on. */
static int spool_index(struct gpu_spool *spool, struct gpu_totals *totals)
{
	struct gpu_block *block = NULL;
	struct spool_cursor cursor;
	const uint64_t *rec;
	size_t words = 0;

	spool_cursor_start(&cursor, spool->thread);
	while ((rec = spool_next(&cursor))) {
		if (!block || words >= BLOCK_WORDS) {
			block = block_add(spool);
			words = 0;
			if (!block)
				return -1;
		}
		words += spool_words(rec[2]);
		block->n++;
		if (rec[1] < block->least)
			block->least = rec[1];
	}
	for (uint32_t i = spool->nblocks; i-- > 1;)
		if (spool->blocks[i].least < spool->blocks[i - 1].least)
			spool->blocks[i - 1].least = spool->blocks[i].least;
	totals->ntorn += cursor.torn;
	return 0;
}

int gpu_index(struct process *p)
{
	for (uint32_t i = 0; i < p->gpu->nspools; i++)
		if (spool_index(&p->gpu->spools[i], &p->gpu->totals) < 0)
			return -1;
	return 0;
}

/* What has been read and not passed on, earliest first. */
struct heap {
	struct held_record {
		uint64_t start;
		const uint64_t *rec;
	} * at;
	size_t n, size;
};

static bool comes_before(const struct held_record *a, const struct held_record *b)
{
	return a->start != b->start ? a->start < b->start : a->rec < b->rec;
}

static int heap_push(struct heap *heap, const uint64_t *rec)
{
	struct held_record held = { rec[1], rec };
	size_t i;

	if (heap->n == heap->size) {
		size_t size = heap->size ? 2 * heap->size : 4096;
		struct held_record *grown = realloc(heap->at, size * sizeof(*grown));

		if (!grown) {
			log_error("out of memory");
			return -1;
		}
		heap->at = grown;
		heap->size = size;
	}
	for (i = heap->n++; i && comes_before(&held, &heap->at[(i - 1) / 2]); i = (i - 1) / 2)
		heap->at[i] = heap->at[(i - 1) / 2];
	heap->at[i] = held;
	return 0;
}

static const uint64_t *heap_pop(struct heap *heap)
{
	const uint64_t *rec = heap->at[0].rec;
	struct held_record last = heap->at[--heap->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < heap->n) {
		if (child + 1 < heap->n && comes_before(&heap->at[child + 1], &heap->at[child]))
			child++;
		if (!comes_before(&heap->at[child], &last))
			break;
		heap->at[i] = heap->at[child];
		i = child;
	}
	heap->at[i] = last;
	return rec;
}

/* A spool being read, stretch by stretch. */
struct gpu_source {
	const struct gpu_spool *spool;
	struct spool_cursor cursor;
	uint32_t next;	     /* stretch */
	const char *dropped; /* pages before it were given back */
};

static uint64_t source_least(const struct gpu_source *source)
{
	return source->next < source->spool->nblocks ? source->spool->blocks[source->next].least
						     : UINT64_MAX;
}

/* The spool with the earliest start still to come; NULL: all are read. */
static struct gpu_source *source_choose(struct gpu_source *sources, uint32_t n)
{
	struct gpu_source *best = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (sources[i].next < sources[i].spool->nblocks &&
			(!best || source_least(&sources[i]) < source_least(best)))
			best = &sources[i];
	return best;
}

static int source_read(struct gpu_source *source, struct heap *heap)
{
	const struct gpu_block *block = &source->spool->blocks[source->next++];
	const uint64_t *rec;

	for (uint32_t i = 0; i < block->n && (rec = spool_next(&source->cursor)); i++)
		if (spool_type(rec[0]) >= SPOOL_KERNEL && heap_push(heap, rec) < 0)
			return -1;
	return 0;
}

/* Gives back the pages of a spool that no held record lies in. */
static void source_drop(struct gpu_source *source, const struct heap *heap)
{
	const char *map = source->spool->thread->map, *needed = (const char *)source->cursor.at;

	if (source->spool->thread->head.slot_size)
		return; /* its chunks stand in no order */
	for (size_t i = 0; i < heap->n; i++) {
		const char *at = (const char *)heap->at[i].rec;

		if (at >= map && at < needed)
			needed = at;
	}
	needed = map + (needed - map) / 4096 * 4096;
	if (!source->dropped)
		source->dropped = map + SPOOL_HEAD_SIZE;
	if (needed > source->dropped) {
		madvise((void *)source->dropped, needed - source->dropped, MADV_DONTNEED);
		source->dropped = needed;
	}
}

static int walk(struct gpu_source *sources, uint32_t n, struct heap *heap, gpu_visitor visit,
	void *context)
{
	for (;;) {
		struct gpu_source *source = source_choose(sources, n);
		uint64_t bound = source ? source_least(source) : UINT64_MAX;

		while (heap->n && (heap->at[0].start < bound || !source || heap->n > GPU_HEAP_MAX))
			if (visit(context, heap_pop(heap)) < 0)
				return -1;
		if (!source)
			return 0;
		if (source_read(source, heap) < 0)
			return -1;
		if (source->next % DROP_BLOCKS == 0)
			source_drop(source, heap);
	}
}

int gpu_walk_all(const struct process *p, gpu_visitor visit, void *context)
{
	struct gpu_source *sources = calloc(p->gpu->nspools + 1, sizeof(*sources));
	struct heap heap = { 0 };
	int ret = -1;

	if (!sources) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < p->gpu->nspools; i++) {
		sources[i].spool = &p->gpu->spools[i];
		spool_cursor_start(&sources[i].cursor, p->gpu->spools[i].thread);
	}
	ret = walk(sources, p->gpu->nspools, &heap, visit, context);
	free(heap.at);
	free(sources);
	return ret;
}

struct detail {
	uint64_t from;
	gpu_visitor visit;
	void *context;
};

static int visit_detail(void *context, const uint64_t *rec)
{
	const struct detail *detail = context;

	return rec[1] < detail->from ? 0 : detail->visit(detail->context, rec);
}

int gpu_walk(const struct process *p, gpu_visitor visit, void *context)
{
	struct detail detail = { p->gpu->summed_until, visit, context };

	return gpu_walk_all(p, visit_detail, &detail);
}
