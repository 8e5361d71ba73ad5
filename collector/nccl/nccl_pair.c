/*
 * nccl_pair.c - which of the wrappers' communicators is the one that NCCL's
 * profiler plugin learns of.
 *
 * RATIONALE: the plugin learns of communicators by a number, a size and a
 * rank, the wrappers see handles; nothing states which belongs to which. But
 * NCCL calls init() while it makes the communicator, so the oldest of equal
 * size and rank that has no partner yet is the one. Versions 1 to 3 give init()
 * nothing. There the communicator just made is the one if nothing else is open;
 * else (several made in one group or without blocking) it is found at the first
 * collective, which reports the rank: the oldest of that rank where a collective
 * of equal kind and size is under way. To go by threads was rejected: NCCL
 * makes communicators on its own threads.
 */
#include "config.h"

#include <pthread.h>

#include "nccl/nccl_profiler.h"

#define AWAITED 64

_Atomic uint32_t tacho_nccl_is_wrapped;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct context *contexts;	     /* without partner, oldest first */
static struct nccl_member *awaited[AWAITED]; /* being made; the ring's oldest are given up */
static unsigned nawaited;

static bool are_partners(const struct context *context, const struct nccl_member *member)
{
	return context->rank >= 0 && (member->size < 0 || context->size == member->size) &&
		(member->rank < 0 || context->rank == member->rank);
}

static void partner(struct context *context, struct nccl_member *member)
{
	if (member->size < 0)
		member->size = context->size;
	if (member->rank < 0)
		member->rank = context->rank;
	if (context->size < 0)
		context->size = member->size;
	atomic_store(&member->mask, context->mask);
	atomic_store(&member->has_plugin, 1);
	atomic_store(&context->member, member);
}

static void context_unlink(const struct context *context)
{
	for (struct context **at = &contexts; *at; at = &(*at)->next)
		if (*at == context) {
			*at = context->next;
			return;
		}
}

/* The ring's members, oldest first: the place of the next that awaits its context, NULL none. */
static struct nccl_member **awaiting_next(unsigned *i)
{
	unsigned oldest = nawaited < AWAITED ? 0 : nawaited - AWAITED;

	for (*i = *i < oldest ? oldest : *i; *i < nawaited; ++*i)
		if (awaited[*i % AWAITED])
			return &awaited[(*i)++ % AWAITED];
	return NULL;
}

/* An unknown context belongs to the communicator just made if that is the only one. */
static bool is_only(const struct context *context)
{
	unsigned i = 0;

	return context->rank < 0 && context == contexts && !context->next && !awaiting_next(&i);
}

void nccl_profiler_link(struct nccl_member *member, bool is_ready)
{
	bool is_blind = false;

	pthread_mutex_lock(&mutex);
	for (struct context *at = contexts; at; at = at->next) {
		is_blind |= at->rank < 0;
		if (!are_partners(at, member) && !(is_ready && is_only(at)))
			continue;
		context_unlink(at);
		partner(at, member);
		break;
	}
	if ((!is_ready || is_blind) && !atomic_load(&member->has_plugin))
		awaited[nawaited++ % AWAITED] = member;
	pthread_mutex_unlock(&mutex);
}

void nccl_pair_add(struct context *context)
{
	struct context **at = &contexts;
	struct nccl_member **found;
	unsigned i = 0;

	pthread_mutex_lock(&mutex);
	while ((found = awaiting_next(&i)) != NULL)
		if (are_partners(context, *found)) {
			partner(context, *found);
			*found = NULL;
			break;
		}
	if (!atomic_load(&context->member)) {
		while (*at)
			at = &(*at)->next;
		*at = context;
	}
	pthread_mutex_unlock(&mutex);
}

/* No wrapper made it: NCCL is linked statically, and all that is known of it is reported here. */
struct nccl_member *nccl_pair_member(struct context *context)
{
	struct nccl_member *member = atomic_load(&context->member);
	struct nccl_member model = { .hash = context->hash,
		.size = context->size,
		.rank = context->rank,
		.device = -1 };

	if (member || context->rank < 0 || atomic_load(&tacho_nccl_is_wrapped))
		return member;
	pthread_mutex_lock(&mutex);
	context_unlink(context);
	member = atomic_load(&context->member);
	if (!member) {
		member = nccl_member_add(&model, NULL, true);
		atomic_store(&context->member, member);
	}
	pthread_mutex_unlock(&mutex);
	return member;
}

struct nccl_member *nccl_pair_guess(struct context *context, int rank, unsigned op, uint64_t bytes,
	bool is_scaled)
{
	struct nccl_member **at, *found;
	unsigned i = 0;

	pthread_mutex_lock(&mutex);
	while (!atomic_load(&context->member) && (at = awaiting_next(&i)) != NULL) {
		struct nccl_member *member = *at;
		uint64_t factor = is_scaled ? (uint64_t)member->size : 1;

		if (member->rank != rank || member->size <= 0 ||
			!nccl_member_is_asked(member, op, bytes * factor))
			continue;
		*at = NULL;
		context_unlink(context);
		partner(context, member);
	}
	found = atomic_load(&context->member);
	pthread_mutex_unlock(&mutex);
	return found;
}
