/*
 * torch_work.c - calls of libtorch in progress, and operations between their post and their wait:
 * an operation is known by the address of its Work, while that exists. DDP waits for those of its buckets all at
 * once, by futures of its own.
 */
#include "config.h"

#include <pthread.h>

#include "core/process.h"
#include "torch/torch_call.h"

/* What is known of Work, above its request's number (0: it ended before its post was seen to). */
#define NUMBER(known) ((uint32_t)(known))
#define WAITED	      ((uintptr_t)1 << 32) /* its wait has begun, or nobody will wait */
#define ENDED	      ((uintptr_t)1 << 33)
#define HAS_FUTURE    ((uintptr_t)1 << 34) /* by which somebody may wait, where nobody sees it */
#define IN_BUCKET     ((uintptr_t)1 << 35) /* DDP waits for it */
#define FROM_ANY      ((uintptr_t)1 << 36) /* a receive from any source */

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

/* Adds flags to what is known of Work; returns what was known before. */
static uintptr_t flags_add(const void *work, uintptr_t flags)
{
	uintptr_t known;

	process_uses(USED_TORCH);
	pthread_mutex_lock(&flags_lock);
	known = map_get(&posted, (uintptr_t)work);
	if (known & flags & ENDED)
		map_set(&posted, (uintptr_t)work, flags); /* of another one, at its address */
	else if (known || flags & ENDED)
		map_set(&posted, (uintptr_t)work, known | flags);
	pthread_mutex_unlock(&flags_lock);
	return known & flags & ENDED ? 0 : known;
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
		number | (map_get(&posted, (uintptr_t)work) == ENDED ? ENDED : 0));
	pthread_mutex_unlock(&flags_lock);
	return number;
}

uint32_t torch_waited(const void *work)
{
	uintptr_t known = flags_add(work, WAITED);

	return known & WAITED ? 0 : NUMBER(known);
}

bool torch_request_waited(const void *work, uint32_t request)
{
	return NUMBER(map_get(&posted, (uintptr_t)work)) == request && !torch_waited(work);
}

void torch_keep(const void *work)
{
	flags_add(work, IN_BUCKET);
}

void torch_from_any(const void *work)
{
	flags_add(work, FROM_ANY);
}

bool torch_is_from_any(const void *work)
{
	return map_get(&posted, (uintptr_t)work) & FROM_ANY;
}

int32_t torch_source(const void *work)
{
	static const char symbol[] = "_ZNK4c10d16ProcessGroupGloo8RecvWork10sourceRankEv";
	static void *_Atomic real;
	int (*source)(const void *) = (__typeof__(source))torch_real(&real, symbol);

	return source ? source(work) : SPOOL_RANK_ANY;
}

static void torch_forked(void)
{
	pthread_mutex_init(&flags_lock, NULL);
	pthread_mutex_init(&posted.lock, NULL);
	atomic_store(&posted.table, NULL);
	torch_reducer_forked();
	torch_future_forked();
}

const struct source tacho_torch_source = { .used = USED_TORCH, .forked = torch_forked };

/* Nobody will be seen to wait for it: it is complete here and now. */
static void completion_record(const void *work)
{
	uint32_t request;
	uint64_t done;
	struct torch_call call;

	/* first: a forked child joins by it, and knows of no operation then (torch_forked) */
	if (!thread_self(REGION_torch_finish) || !(request = torch_waited(work)))
		return;
	done = spool_pair(request, SPOOL_BYTES_HUGE);
	call = torch_begin(REGION_torch_finish, NULL);
	call.comm = 1;
	torch_end(&call, SPOOL_DONE_SHORT, &done, 1);
}

/* AsyncWork::finishWorkGloo(), on gloo's thread. */
torch_word torch_finish(torch_word self, torch_word a, torch_word b, torch_word c, torch_word d,
	torch_word e, torch_word f)
{
	uintptr_t known = flags_add(self, ENDED);

	if (known & HAS_FUTURE)
		torch_future_drop(self);
	if (known & HAS_FUTURE && !(known & (WAITED | IN_BUCKET)))
		completion_record(self);
	return REAL(torch_finish)(self, a, b, c, d, e, f);
}

/* AsyncWork::getFuture(): waits for that are seen in torch_future.c, but not for what follows from it. */
TACHO_EXPORT torch_word torch_future(torch_word place, torch_word self) __asm__(
	"_ZN4c10d16ProcessGroupGloo9AsyncWork9getFutureEv");
torch_word torch_future(torch_word place, torch_word self)
{
	static void *_Atomic real;
	uintptr_t known = flags_add(self, HAS_FUTURE);
	torch_word ret;

	if (known & ENDED && !(known & (WAITED | IN_BUCKET)))
		completion_record(self);
	ret = ((__typeof__(&torch_future))torch_real(&real,
		"_ZN4c10d16ProcessGroupGloo9AsyncWork9getFutureEv"))(place, self);
	if (known && !(known & (ENDED | IN_BUCKET)))
		torch_future_add(*(void *const *)place, self);
	return ret;
}

/* Work::isCompleted(): whoever has seen that need not wait. */
TACHO_EXPORT bool torch_completed(torch_word self) __asm__("_ZN4c10d4Work11isCompletedEv");
bool torch_completed(torch_word self)
{
	static void *_Atomic real;
	bool is = ((__typeof__(&torch_completed))torch_real(&real, "_ZN4c10d4Work11isCompletedEv"))(
		self);

	if (is && !(map_get(&posted, (uintptr_t)self) & (WAITED | IN_BUCKET)))
		completion_record(self);
	return is;
}

/* Work::~Work(): nobody has waited for it, and nobody can any more. */
TACHO_EXPORT void torch_gone(torch_word self) __asm__("_ZN4c10d4WorkD2Ev");
void torch_gone(torch_word self)
{
	static void *_Atomic real;
	uintptr_t known = map_get(&posted, (uintptr_t)self);

	if (known & ENDED && !(known & (WAITED | IN_BUCKET)))
		completion_record(self);
	((__typeof__(&torch_gone))torch_real(&real, "_ZN4c10d4WorkD2Ev"))(self);
}
