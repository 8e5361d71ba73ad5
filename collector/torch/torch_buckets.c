/*
 * torch_buckets.c - the operations of the buckets of gradients that DDP's Reducer posts: from the post until
 * gloo has ended them. The file `buckets` has sums of how much of that was beside the backward pass. These
 * are of all passes, whatever stays in detail.
 */
#include "config.h"

#include <pthread.h>
#include <string.h>

#include "core/chunk.h"
#include "core/folder.h"
#include "core/sys.h"
#include "core/task.h"
#include "tacho/buckets.h"
#include "torch/torch_call.h"

struct pending {
	const void *reducer, *work;
	uint32_t request;
	uint64_t bytes, begun, ended; /* ticks; 0: it goes on, or its end was not seen */
};

static struct {
	pthread_mutex_t lock;
	unsigned n;
	struct pending at[TORCH_BUCKETS_MOST];
} pending = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct spool_buckets *sums; /* NULL: not made yet, or it cannot be */
static bool sums_fail;

static void sums_map(void *unused)
{
	int fd = process_file_open("buckets", O_RDWR | O_CREAT | O_EXCL);

	(void)unused;
	if (fd < 0)
		return;
	sums = file_map(fd, 0, SPOOL_BUCKETS_SIZE);
	sys_close(fd);
}

static bool sums_make(void)
{
	if (sums || sums_fail)
		return sums;
	sums_fail = task_run(sums_map, NULL) < 0 || !sums;
	if (sums_fail)
		return false;
	sums->version = SPOOL_VERSION;
	memcpy(sums->magic, SPOOL_BUCKETS_MAGIC, sizeof(sums->magic));
	return true;
}

void torch_buckets_forked(void)
{
	pthread_mutex_init(&pending.lock, NULL);
	pending.n = 0;
	if (sums)
		sys_munmap(sums, SPOOL_BUCKETS_SIZE);
	sums = NULL;
	sums_fail = false;
}

void torch_bucket_posted(const struct torch_post *post)
{
	struct pending *one;

	pthread_mutex_lock(&pending.lock);
	one = pending.n < TORCH_BUCKETS_MOST ? &pending.at[pending.n++] : NULL;
	if (one)
		*one = (struct pending){ .reducer = tacho_torch_reducing,
			.work = post->work,
			.request = post->request,
			.bytes = post->bytes,
			.begun = post->begun };
	/* gloo's thread looks for it from now on; it may have been there before */
	if (torch_keep(post->work) && one)
		one->ended = clock_ticks();
	pthread_mutex_unlock(&pending.lock);
}

void torch_bucket_ended(const void *work)
{
	uint64_t now = clock_ticks();

	pthread_mutex_lock(&pending.lock);
	for (unsigned i = pending.n; i-- > 0;)
		if (pending.at[i].work == work && !pending.at[i].ended) {
			pending.at[i].ended = now;
			break;
		}
	pthread_mutex_unlock(&pending.lock);
}

static void add(_Atomic uint64_t *sum, uint64_t ticks)
{
	atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + ticks,
		memory_order_relaxed);
}

/* Ticks from one instant to another, 0 where that is the earlier one. */
static uint64_t span_of(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The place of a bucket, where it is searched first: behind the one before it. */
static struct spool_bucket *bucket_find(uint32_t order, uint64_t bytes, uint32_t *next)
{
	struct spool_bucket *others = &sums->at[SPOOL_BUCKETS_MOST - 1];

	for (uint32_t i = 0; i < SPOOL_BUCKETS_MOST; i++) {
		uint32_t at = (*next + i) % SPOOL_BUCKETS_MOST;
		struct spool_bucket *bucket = &sums->at[at];

		if (bucket != others && bucket->exchanges && bucket->order == order &&
			bucket->bytes == bytes) {
			*next = at + 1;
			return bucket;
		}
	}
	for (uint32_t at = 0; at < SPOOL_BUCKETS_MOST - 1; at++)
		if (!sums->at[at].exchanges) {
			sums->at[at].order = order;
			sums->at[at].bytes = bytes;
			*next = at + 1;
			return &sums->at[at];
		}
	others->order = UINT32_MAX;
	return others;
}

/* A pass that waits for its buckets since `waits`: they were posted in this order. */
static void pass_add(const void *reducer, uint64_t waits, uint64_t now)
{
	uint64_t covered = 0, ticks = 0, exposed = 0;
	uint32_t order = 0, next = 0;

	for (unsigned i = 0; i < pending.n; i++) {
		const struct pending *one = &pending.at[i];
		uint64_t ended = one->ended ? one->ended : now;
		struct spool_bucket *bucket;

		if (one->reducer != reducer)
			continue;
		bucket = bucket_find(order++, one->bytes, &next);
		add(&bucket->ticks, span_of(one->begun, ended));
		add(&bucket->exposed, span_of(later(one->begun, waits), ended));
		add(&bucket->exchanges, 1);
		ticks += span_of(later(one->begun, covered), ended);
		exposed += span_of(later(later(one->begun, covered), waits), ended);
		covered = later(covered, ended);
	}
	if (!order)
		return;
	add(&sums->ticks, ticks);
	add(&sums->exposed, exposed);
	add(&sums->passes, 1);
}

unsigned torch_buckets_take(const void *reducer, const struct span *waits, uint64_t *done)
{
	uint64_t now = clock_ticks();
	unsigned n = 0, kept = 0;

	pthread_mutex_lock(&pending.lock);
	if (pending.n && span_is_on(waits) && sums_make())
		pass_add(reducer, waits->start, now);
	for (unsigned i = 0; i < pending.n; i++) {
		const struct pending *one = &pending.at[i];

		if (one->reducer != reducer)
			pending.at[kept++] = *one;
		else if (!torch_request_waited(one->work, one->request))
			done[n++] = spool_pair(one->request, SPOOL_BYTES_HUGE);
	}
	pending.n = kept;
	pthread_mutex_unlock(&pending.lock);
	return n;
}
