/*
 * nvtx_range.c - the open NVTX ranges of each thread.
 *
 * RATIONALE: our regions nest, NVTX's need not: ranges started and ended by number may overlap or
 * end on another thread, and each domain has a separate stack. So each thread keeps its open ranges
 * in the order in which they began; a range that ends below others is only marked as over, and ends
 * with the ranges above it. A range that a library opens inside of a recorded call (NCCL, cuBLAS)
 * is part of that call and left out.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/mark.h"
#include "nvtx/nvtx_range.h"
#include "core/span.h"

#define DEPTH_MAX   128	 /* open ranges of a thread; deeper ones are not recorded */
#define NO_TRACKING (-2) /* what NVTX answers without a tool */

struct range {
	uint64_t id; /* of one that is ended by number, else 0 */
	const struct nvtx_domain *domain;
	bool is_recorded, is_step;
	_Atomic bool is_over;
};

/*
 * A thread's open ranges, outermost first. When the thread ends another one gets them; they are
 * never freed, since whoever ends a range by number may hold a pointer to it.
 */
struct ranges {
	struct ranges *next; /* free list */
	struct range at[DEPTH_MAX];
	unsigned n, beyond; /* beyond: pushed when the list was full */
};

static __thread struct ranges *ranges __attribute__((tls_model("initial-exec")));
static _Atomic uint64_t ids;

static struct ranges *_Atomic unused;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void unused_put(struct ranges *list)
{
	struct ranges *seen = atomic_load(&unused);

	do
		list->next = seen;
	while (!atomic_compare_exchange_weak(&unused, &seen, list));
}

/* Takes all, keeps one: so no other thread can meanwhile take one and give it back. */
static struct ranges *unused_take(void)
{
	struct ranges *list = atomic_exchange(&unused, NULL), *next,
		      *rest = list ? list->next : NULL;

	for (; rest; rest = next) {
		next = rest->next;
		unused_put(rest);
	}
	return list;
}

/* The thread is over; merge ends its open ranges with the thread. */
static void ranges_leave(void *list)
{
	struct ranges *own = list;

	ranges = NULL;
	for (unsigned i = 0; i < own->n; i++)
		own->at[i].id = 0;
	own->n = own->beyond = 0;
	unused_put(own);
}

static void key_make(void)
{
	has_key = !pthread_key_create(&key, ranges_leave);
}

static struct ranges *ranges_own(void)
{
	int saved = errno;

	if (unlikely(!ranges)) {
		pthread_once(&once, key_make);
		ranges = unused_take();
		if (!ranges)
			ranges = calloc(1, sizeof(*ranges));
		if (ranges && has_key)
			pthread_setspecific(key, ranges);
	}
	errno = saved;
	return ranges;
}

static bool in_step(const struct ranges *own)
{
	for (unsigned i = 0; i < own->n; i++)
		if (own->at[i].is_step)
			return true;
	return false;
}

static void range_begin(struct ranges *own, uint64_t id, const struct nvtx_domain *domain,
	char *name)
{
	struct range *range = &own->at[own->n++];
	struct thread *self = thread_self(REGION_NONE);
	uint64_t number = 0;

	*range = (struct range){ .id = id, .domain = domain };
	if (!self || self->cursor >= CURSOR_DEPTH || (domain && domain->is_ignored))
		return;
	range->is_recorded = true;
	range->is_step = !tacho_mark_has_steps && !in_step(own) && name_is_step(name, &number);
	if (range->is_step) {
		atomic_store_explicit(&tacho_mark_has_named, true, memory_order_relaxed);
		mark_begin(SPOOL_MARK_STEP, "step", number);
		return;
	}
	name_shorten(name);
	mark_begin(SPOOL_MARK_REGION, name, 0);
}

/* Ends all that are over from the innermost on. */
static void ranges_settle(struct ranges *own)
{
	while (own->n && atomic_load(&own->at[own->n - 1].is_over)) {
		struct range *range = &own->at[--own->n];

		if (range->is_recorded)
			mark_end(range->is_step ? SPOOL_MARK_STEP : SPOOL_MARK_REGION, 0);
	}
}

/* How many pushed ranges of a domain are open. */
static int domain_depth(const struct ranges *own, const struct nvtx_domain *domain)
{
	int n = 0;

	for (unsigned i = 0; i < own->n; i++)
		n += !own->at[i].id && own->at[i].domain == domain && !own->at[i].is_over;
	return n;
}

int range_push(const struct nvtx_domain *domain, char *name)
{
	struct ranges *own = ranges_own();
	int depth, saved = errno;

	if (!own)
		return NO_TRACKING;
	ranges_settle(own);
	depth = domain_depth(own, domain);
	if (own->n == DEPTH_MAX)
		return depth + (int)own->beyond++;
	range_begin(own, 0, domain, name);
	errno = saved;
	return depth;
}

int range_pop(const struct nvtx_domain *domain)
{
	struct ranges *own = ranges_own();
	int saved = errno;

	if (!own)
		return NO_TRACKING;
	if (own->beyond) {
		own->beyond--;
		return domain_depth(own, domain);
	}
	for (unsigned i = own->n; i-- > 0;) {
		if (own->at[i].id || own->at[i].domain != domain || own->at[i].is_over)
			continue;
		atomic_store(&own->at[i].is_over, true);
		ranges_settle(own);
		errno = saved;
		return domain_depth(own, domain);
	}
	return NO_TRACKING;
}

/*
 * Ranges by number. Whose list one is in is found in a table, since another thread may end it;
 * of numbers that share a place there only the last one's is known.
 */
#define STARTED 1024 /* power of two */
static struct {
	_Atomic uint64_t id;
	struct range *_Atomic range;
} started[STARTED];

uint64_t range_start(const struct nvtx_domain *domain, char *name)
{
	struct ranges *own = ranges_own();
	uint64_t id = atomic_fetch_add(&ids, 1) + 1;
	int saved = errno;

	if (!own)
		return id;
	ranges_settle(own);
	if (own->n < DEPTH_MAX) {
		range_begin(own, id, domain, name);
		atomic_store(&started[id % STARTED].range, &own->at[own->n - 1]);
		atomic_store(&started[id % STARTED].id, id);
	}
	errno = saved;
	return id;
}

void range_end(uint64_t id)
{
	struct ranges *own = ranges_own();
	uint64_t wanted = id;
	int saved = errno;

	for (unsigned i = own ? own->n : 0; i-- > 0;)
		if (own->at[i].id == id)
			atomic_store(&own->at[i].is_over, true);
	/* a list's places are used again, but only when their range is over */
	if (id && atomic_compare_exchange_strong(&started[id % STARTED].id, &wanted, 0)) {
		struct range *range = atomic_load(&started[id % STARTED].range);

		if (range && range->id == id)
			atomic_store(&range->is_over, true);
	}
	if (own)
		ranges_settle(own);
	errno = saved;
}

void range_mark(const struct nvtx_domain *domain, char *name)
{
	struct thread *self = thread_self(REGION_NONE);

	if (!self || self->cursor >= CURSOR_DEPTH || (domain && domain->is_ignored))
		return;
	name_shorten(name);
	mark_begin(SPOOL_MARK_REGION, name, 0);
	mark_end(SPOOL_MARK_REGION, 0);
}
