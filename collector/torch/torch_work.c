/*
 * torch_work.c - calls of libtorch in progress, and operations between their post and their wait:
 * an operation is known by the address of its Work, while that exists. DDP waits for those of its buckets all at
 * once, by futures of its own.
 */
#include "config.h"

#include <pthread.h>

#include "core/process.h"
#include "torch/torch_call.h"

#define NUMBER(known) ((uint32_t)(known))

__thread const void *tacho_torch_reducing __attribute__((tls_model("initial-exec")));

/* Operations that this thread has posted. */
static __thread uint32_t posts __attribute__((tls_model("initial-exec")));

static struct map posted = MAP_EMPTY; /* address of Work → its request */
static pthread_mutex_t flags_lock = PTHREAD_MUTEX_INITIALIZER;

struct torch_call torch_begin_at(unsigned region, struct torch_group *group, uintptr_t frame)
{
	struct torch_call call = { .group = group, .posts = posts };
	struct thread *self = thread_self(region);

	if (!self)
		return call;
	if (group)
		call.comm = torch_group_define(group);
	span_is_inside(self, frame);
	call.span = span_begin_at(self, region, call.comm, 0, frame);
	return call;
}

bool torch_is_composed(const struct torch_call *call)
{
	return posts != call->posts;
}

void torch_end(struct torch_call *call, unsigned type, const uint64_t *payload, unsigned npayload)
{
	if (!span_is_on(&call->span))
		return;
	span_leave(&call->span, type, call->comm, payload, npayload);
}

uintptr_t torch_known(const void *work)
{
	return map_get(&posted, (uintptr_t)work);
}

uintptr_t torch_know(const void *work, uintptr_t flags)
{
	uintptr_t known;

	process_uses(USED_TORCH);
	pthread_mutex_lock(&flags_lock);
	known = torch_known(work);
	if (known & flags & TORCH_ENDED)
		map_set(&posted, (uintptr_t)work, flags); /* of another one, at its address */
	else if (known || flags & TORCH_ENDED)
		map_set(&posted, (uintptr_t)work, known | flags);
	pthread_mutex_unlock(&flags_lock);
	return known & flags & TORCH_ENDED ? 0 : known;
}

/* Numbers are never used again: an address is, as soon as its Work is gone. */
uint32_t torch_posted(const void *work)
{
	static _Atomic uint32_t last;
	uint32_t number;

	if (!work)
		return 0;
	process_uses(USED_TORCH);
	posts++;
	number = (atomic_fetch_add(&last, 1) & INT32_MAX) + 1;
	pthread_mutex_lock(&flags_lock);
	map_set(&posted, (uintptr_t)work,
		number | (torch_known(work) == TORCH_ENDED ? TORCH_ENDED : 0));
	pthread_mutex_unlock(&flags_lock);
	return number;
}

uint32_t torch_waited(const void *work)
{
	uintptr_t known = torch_know(work, TORCH_WAITED);

	return known & TORCH_WAITED ? 0 : NUMBER(known);
}

bool torch_request_waited(const void *work, uint32_t request)
{
	return NUMBER(torch_known(work)) == request && !torch_waited(work);
}

bool torch_keep(const void *work)
{
	return torch_know(work, TORCH_IN_BUCKET) & TORCH_ENDED;
}

void torch_from_any(const void *work)
{
	torch_know(work, TORCH_FROM_ANY);
}

bool torch_is_from_any(const void *work)
{
	return torch_known(work) & TORCH_FROM_ANY;
}

int32_t torch_source(const void *work)
{
	static const char symbol[] = "_ZNK4c10d16ProcessGroupGloo8RecvWork10sourceRankEv";
	static void *_Atomic real;
	int (*source)(const void *) = (__typeof__(source))torch_real(&real, symbol);

	return source ? source(work) : SPOOL_RANK_ANY;
}

void torch_work_forked(void)
{
	pthread_mutex_init(&flags_lock, NULL);
	pthread_mutex_init(&posted.lock, NULL);
	atomic_store(&posted.table, NULL);
}
