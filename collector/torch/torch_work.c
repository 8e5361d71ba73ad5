/*
 * torch_work.c - calls of libtorch in progress, and operations between their post and their wait:
 * an operation is known by the address of its Work, while that is there. DDP waits for those of its buckets all at
 * once, by futures of its own.
 */
#include "config.h"

#include "torch/torch_call.h"

#define OPEN_MAX 8
#define WAITED	 ((uintptr_t)1 << 32) /* in what `posted` knows of Work: its wait has begun */

__thread const void *tacho_torch_reducing __attribute__((tls_model("initial-exec")));

/* Frames of the calls that this thread is in. */
static __thread struct {
	uintptr_t frames[OPEN_MAX];
	struct span spans[OPEN_MAX];
	unsigned n;
} open_calls __attribute__((tls_model("initial-exec")));

static struct map posted = MAP_EMPTY; /* address of Work → its request */

struct torch_call torch_begin_at(unsigned region, struct torch_group *group, uintptr_t frame)
{
	struct torch_call call = { .group = group };

	while (open_calls.n && open_calls.frames[open_calls.n - 1] <= frame)
		span_leave(&open_calls.spans[--open_calls.n], SPOOL_CALL, 0, NULL, 0);
	if (group && thread_self(region))
		call.comm = torch_group_define(group);
	call.span = span_enter(region, call.comm);
	if (span_is_on(&call.span) && open_calls.n < OPEN_MAX) {
		open_calls.frames[open_calls.n] = frame;
		open_calls.spans[open_calls.n++] = call.span;
	}
	return call;
}

void torch_end(struct torch_call *call, unsigned type, const uint64_t *payload, unsigned npayload)
{
	if (!span_is_on(&call->span))
		return;
	if (open_calls.n && open_calls.spans[open_calls.n - 1].start == call->span.start)
		open_calls.n--;
	span_leave(&call->span, type, call->comm, payload, npayload);
}

/* Numbers are never used again: an address is, as soon as its Work is gone. */
uint32_t torch_posted(const void *work)
{
	static _Atomic uint32_t last;
	uint32_t number;

	if (!work)
		return 0;
	number = (atomic_fetch_add(&last, 1) & INT32_MAX) + 1;
	map_set(&posted, (uintptr_t)work, number);
	return number;
}

uint32_t torch_waited(const void *work)
{
	uintptr_t known = map_get(&posted, (uintptr_t)work);

	if (known & WAITED)
		return 0;
	if (known)
		map_set(&posted, (uintptr_t)work, known | WAITED);
	return (uint32_t)known;
}

bool torch_request_waited(const void *work, uint32_t request)
{
	uintptr_t known = map_get(&posted, (uintptr_t)work);

	if (known == request)
		map_set(&posted, (uintptr_t)work, known | WAITED);
	return known == (request | WAITED);
}
