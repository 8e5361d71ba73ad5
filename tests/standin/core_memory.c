/* Memory: allocated and pinned blocks, copies, memset. Device memory is host memory. */
#include "standin.h"

#include <stdlib.h>
#include <string.h>

/* Pageable sources up to this size are staged, and the call returns at once. */
enum { STAGE_BYTES = 65536, ALIGNMENT = 512 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct standin_memory *table; /* by start */
static size_t count, room;

/* Index of the first entry that starts after PTR. */
static size_t entry_after(const char *ptr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (table[mid].start <= ptr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int entry_add(const struct standin_memory *entry)
{
	size_t at;

	if (count == room) {
		size_t more = room ? 2 * room : 256;
		struct standin_memory *grown = realloc(table, more * sizeof(*grown));

		if (!grown)
			return -1;
		table = grown;
		room = more;
	}
	at = entry_after(entry->start);
	memmove(table + at + 1, table + at, (count - at) * sizeof(*table));
	table[at] = *entry;
	count++;
	return 0;
}

static CUresult entry_remove(const void *ptr, struct standin_memory *removed)
{
	CUresult ret = CUDA_ERROR_INVALID_VALUE;
	size_t at;

	pthread_rwlock_wrlock(&lock);
	at = entry_after(ptr);
	if (at > 0 && table[at - 1].start == (const char *)ptr) {
		*removed = table[at - 1];
		memmove(table + at - 1, table + at, (count - at) * sizeof(*table));
		count--;
		ret = CUDA_SUCCESS;
	}
	pthread_rwlock_unlock(&lock);
	return ret;
}

STANDIN_EXPORT struct standin_memory standin_memory_of(const void *ptr)
{
	struct standin_memory found = { .kind = STANDIN_PAGEABLE, .device = -1 };
	size_t at;

	pthread_rwlock_rdlock(&lock);
	at = entry_after(ptr);
	if (at > 0 && (size_t)((const char *)ptr - table[at - 1].start) < table[at - 1].bytes)
		found = table[at - 1];
	pthread_rwlock_unlock(&lock);
	return found;
}

static CUresult entry_put(void *ptr, size_t bytes, int kind, int device)
{
	struct standin_memory entry = { .kind = kind,
		.device = device,
		.start = ptr,
		.bytes = bytes };
	int ret;

	pthread_rwlock_wrlock(&lock);
	ret = entry_add(&entry);
	pthread_rwlock_unlock(&lock);
	return ret < 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

STANDIN_EXPORT CUresult standin_alloc(size_t bytes, int kind, void **ptr)
{
	bool on_device = kind == STANDIN_DEVICE || kind == STANDIN_MANAGED;
	struct standin_device *device;
	CUcontext ctx;
	CUresult ret = standin_context(&ctx);

	if (ret != CUDA_SUCCESS)
		return ret;
	device = ctx->device;
	if (on_device && atomic_fetch_add(&device->used, bytes) + bytes > standin_config()->memory)
		ret = CUDA_ERROR_OUT_OF_MEMORY;
	if (ret == CUDA_SUCCESS && posix_memalign(ptr, ALIGNMENT, bytes ? bytes : 1) != 0)
		ret = CUDA_ERROR_OUT_OF_MEMORY;
	if (ret == CUDA_SUCCESS)
		ret = entry_put(*ptr, bytes, kind, on_device ? device->ordinal : -1);
	if (ret != CUDA_SUCCESS && on_device)
		atomic_fetch_sub(&device->used, bytes);
	return ret;
}

STANDIN_EXPORT CUresult standin_free(void *ptr)
{
	struct standin_memory entry;
	CUresult ret = ptr ? entry_remove(ptr, &entry) : CUDA_SUCCESS;

	if (!ptr || ret != CUDA_SUCCESS)
		return ret;
	if (entry.device >= 0)
		atomic_fetch_sub(&standin_device(entry.device)->used, entry.bytes);
	free(ptr);
	return CUDA_SUCCESS;
}

STANDIN_EXPORT CUresult standin_register(void *ptr, size_t bytes)
{
	if (standin_memory_of(ptr).kind != STANDIN_PAGEABLE)
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	return entry_put(ptr, bytes, STANDIN_PINNED, -1);
}

STANDIN_EXPORT CUresult standin_unregister(void *ptr)
{
	struct standin_memory entry;

	return entry_remove(ptr, &entry) == CUDA_SUCCESS ? CUDA_SUCCESS
							 : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

/* ---- copies ---- */

struct copy_op {
	struct standin_op op;
	struct standin_copy what;
	void *stage;
};

static void copy_run(struct standin_op *op)
{
	const struct standin_copy *c = &((struct copy_op *)op)->what;

	if (c->height == 1)
		memmove(c->dst, c->src, c->width);
	for (size_t y = 0; y < c->height && c->height > 1; y++)
		memmove((char *)c->dst + y * c->dpitch, (const char *)c->src + y * c->spitch,
			c->width);
}

static void copy_drop(struct standin_op *op)
{
	free(((struct copy_op *)op)->stage);
}

static bool on_device(const struct standin_memory *m)
{
	return m->kind == STANDIN_DEVICE || m->kind == STANDIN_MANAGED;
}

static int copy_kind(const struct standin_memory *dst, const struct standin_memory *src)
{
	if (on_device(dst) && on_device(src))
		return dst->device == src->device ? STANDIN_D2D : STANDIN_P2P;
	if (on_device(dst))
		return STANDIN_H2D;
	return on_device(src) ? STANDIN_D2H : STANDIN_H2H;
}

static uint64_t copy_least_ns(const struct standin_act *act, bool pageable)
{
	const struct standin_config *config = standin_config();
	double gbs = pageable ? config->pageable_gbs : config->copy_gbs;

	if (act->copy_kind == STANDIN_D2D || gbs <= 0)
		return 0;
	return (uint64_t)((double)act->bytes / gbs);
}

static uint32_t context_id(int device)
{
	return standin_primary(standin_device(device))->id;
}

/* The kind of memory, by a given direction, if the table does not know it (symbols). */
static void kinds_fit(const struct standin_copy *c, struct standin_memory *dst,
	struct standin_memory *src, int device)
{
	if ((c->kind == STANDIN_H2D || c->kind == STANDIN_D2D) && !on_device(dst) &&
		dst->kind != STANDIN_PINNED)
		*dst = (struct standin_memory){ .kind = STANDIN_DEVICE, .device = device };
	if ((c->kind == STANDIN_D2H || c->kind == STANDIN_D2D) && !on_device(src) &&
		src->kind != STANDIN_PINNED)
		*src = (struct standin_memory){ .kind = STANDIN_DEVICE, .device = device };
}

static bool copy_describe(struct copy_op *op, CUstream stream)
{
	struct standin_copy *c = &op->what;
	struct standin_memory dst = standin_memory_of(c->dst), src = standin_memory_of(c->src);
	struct standin_act *act = &op->op.act;
	bool pageable;

	kinds_fit(c, &dst, &src, stream->ctx->device->ordinal);
	pageable = dst.kind == STANDIN_PAGEABLE || src.kind == STANDIN_PAGEABLE;
	act->kind = STANDIN_ACT_MEMCPY;
	act->copy_kind = (uint8_t)copy_kind(&dst, &src);
	if (act->copy_kind == STANDIN_P2P) {
		act->kind = STANDIN_ACT_MEMCPY2;
		act->src_device = (uint32_t)src.device;
		act->dst_device = (uint32_t)dst.device;
		act->src_context = context_id(src.device);
		act->dst_context = context_id(dst.device);
	}
	act->src_kind = (uint8_t)src.kind;
	act->dst_kind = (uint8_t)dst.kind;
	act->flags = c->async;
	act->bytes = c->width * c->height;
	op->op.least_ns = copy_least_ns(act, pageable);
	return pageable;
}

/* Returns true if the call need not wait: the source was copied away. */
static bool copy_stage(struct copy_op *op)
{
	struct standin_copy *c = &op->what;

	if (op->op.act.copy_kind != STANDIN_H2D || c->height != 1 || c->width > STAGE_BYTES)
		return false;
	op->stage = malloc(c->width ? c->width : 1);
	if (!op->stage)
		return false;
	memcpy(op->stage, c->src, c->width);
	c->src = op->stage;
	return true;
}

STANDIN_EXPORT CUresult standin_copy(const struct standin_copy *copy, CUstream stream)
{
	struct copy_op *op;
	bool wait = !copy->async;
	uint64_t seq;
	CUresult ret;

	if (wait && stream->capture)
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	op = calloc(1, sizeof(*op));
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->op.run = copy_run;
	op->op.drop = copy_drop;
	op->op.node_type = CU_GRAPH_NODE_TYPE_MEMCPY;
	op->what = *copy;
	if (copy_describe(op, stream) && !wait && !stream->capture)
		wait = !copy_stage(op);
	ret = standin_submit(stream, &op->op, NULL, &seq);
	if (ret == CUDA_SUCCESS && wait)
		standin_wait(stream, seq);
	return ret;
}

/* ---- memset ---- */

struct set_op {
	struct standin_op op;
	char *ptr;
	uint32_t value;
	unsigned element;
	size_t width, height, pitch; /* bytes */
};

static void set_run(struct standin_op *op)
{
	struct set_op *s = (struct set_op *)op;

	for (size_t y = 0; y < s->height; y++) {
		char *row = s->ptr + y * s->pitch;

		if (s->element == 1)
			memset(row, (int)s->value, s->width);
		for (size_t x = 0; x < s->width && s->element > 1; x += s->element)
			memcpy(row + x, &s->value, s->element);
	}
}

STANDIN_EXPORT CUresult standin_set(void *ptr, uint32_t value, unsigned element, size_t width,
	size_t height, size_t pitch, CUstream stream, bool async)
{
	struct set_op *op = calloc(1, sizeof(*op));
	struct standin_memory memory = standin_memory_of(ptr);

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->op.run = set_run;
	op->op.node_type = CU_GRAPH_NODE_TYPE_MEMSET;
	op->op.act = (struct standin_act){ .kind = STANDIN_ACT_MEMSET,
		.bytes = width * height,
		.value = value,
		.dst_kind = (uint8_t)memory.kind,
		.flags = async };
	op->ptr = ptr;
	op->value = value;
	op->element = element;
	op->width = width;
	op->height = height;
	op->pitch = pitch;
	return standin_submit(stream, &op->op, NULL, NULL);
}
