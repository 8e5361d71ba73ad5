/*
 * nccl_member.c - this process's memberships in NCCL communicators: identity
 * (equal on all members), definitions, and the order of collectives.
 */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "nccl/nccl.h"
#include "core/define.h"
#include "core/process.h"

struct map tacho_nccl_members = MAP_EMPTY;

int ncclCommCount(nccl_comm comm, int *count);
int ncclCommUserRank(nccl_comm comm, int *rank);
int ncclCommCuDevice(nccl_comm comm, int *device);

uint64_t nccl_hash(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	hash = hash ? hash : 0xcbf29ce484222325ull;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ at[i]) * 0x100000001b3ull;
	return hash ? hash : 1;
}

/* Asks the library for the values that the program omitted. */
static void member_describe(struct nccl_member *member)
{
	__typeof__(&ncclCommCount) count = NCCL_REAL(member->nccl, ncclCommCount);
	__typeof__(&ncclCommUserRank) rank = NCCL_REAL(member->nccl, ncclCommUserRank);
	__typeof__(&ncclCommCuDevice) device = NCCL_REAL(member->nccl, ncclCommCuDevice);
	int value;

	if (member->size < 0 && count && count(member->comm, &value) == NCCL_SUCCESS)
		member->size = value;
	if (member->rank < 0 && rank && rank(member->comm, &value) == NCCL_SUCCESS)
		member->rank = value;
	if (member->device < 0 && device && device(member->comm, &value) == NCCL_SUCCESS)
		member->device = value;
}

static void member_write(const struct nccl_member *member, uint32_t id)
{
	struct spool_def_nccl_comm body = {
		.hash = member->hash,
		.parent = member->parent,
		.rank = (uint32_t)member->rank,
		.size = (uint32_t)member->size,
		.split = member->split,
		.colour = member->colour,
		.device = member->device < 0 ? SPOOL_DEVICE_NONE : (uint32_t)member->device,
	};

	process_define(&(struct def){ .type = DEF_NCCL_COMM,
		.id = id,
		.body = &body,
		.nbody = sizeof(body),
		.text = "" });
}

static void lock(struct nccl_member *member)
{
	while (atomic_exchange_explicit(&member->lock, 1, memory_order_acquire))
		sched_yield();
}

static void unlock(struct nccl_member *member)
{
	atomic_store_explicit(&member->lock, 0, memory_order_release);
}

uint32_t nccl_member_define(struct nccl_member *member)
{
	uint32_t id = atomic_load(&member->id);
	int saved = errno;

	if (likely(id))
		return id;
	if (member->comm)
		member_describe(member);
	lock(member);
	id = atomic_load(&member->id);
	if (!id && member->rank >= 0 && member->size > 0) {
		id = process_allot(DEF_NCCL_COMM);
		member_write(member, id);
		atomic_store(&member->id, id);
	}
	unlock(member);
	errno = saved;
	return id;
}

struct nccl_member *nccl_member_add(const struct nccl_member *model, nccl_comm comm, bool is_ready)
{
	struct nccl_member *member = malloc(sizeof(*member));

	if (!member)
		return NULL;
	*member = *model;
	member->comm = comm;
	if (comm)
		map_set(&tacho_nccl_members, (uintptr_t)comm, (uintptr_t)member);
	if (is_ready)
		nccl_member_define(member);
	return member;
}

void nccl_member_forget(nccl_comm comm)
{
	map_forget(&tacho_nccl_members, (uintptr_t)comm);
}

uint32_t nccl_member_ask(struct nccl_member *member, unsigned op, uint64_t bytes)
{
	uint32_t seq;

	lock(member);
	seq = atomic_fetch_add(&member->seq, 1);
	member->asked[seq % NCCL_ASKED] = (struct nccl_asked){ .bytes = bytes,
		.seq = seq,
		.op = (uint8_t)op,
		.is_open = true };
	unlock(member);
	return seq;
}

void nccl_member_unask(struct nccl_member *member, uint32_t seq)
{
	lock(member);
	if (atomic_load(&member->seq) == seq + 1) {
		atomic_store(&member->seq, seq);
		member->asked[seq % NCCL_ASKED].is_open = false;
	}
	unlock(member);
}

/* The oldest of those that are open, under the lock. */
static struct nccl_asked *asked_find(struct nccl_member *member, unsigned op, uint64_t bytes)
{
	uint32_t next = atomic_load(&member->seq);

	for (uint32_t i = next < NCCL_ASKED ? 0 : next - NCCL_ASKED; i < next; i++) {
		struct nccl_asked *asked = &member->asked[i % NCCL_ASKED];

		if (asked->is_open && asked->op == op && asked->bytes == bytes)
			return asked;
	}
	return NULL;
}

bool nccl_member_is_asked(struct nccl_member *member, unsigned op, uint64_t bytes)
{
	bool found;

	lock(member);
	found = asked_find(member, op, bytes) != NULL;
	unlock(member);
	return found;
}

uint32_t nccl_member_take(struct nccl_member *member, unsigned op, uint64_t bytes)
{
	struct nccl_asked *asked;
	uint32_t found = UINT32_MAX;

	lock(member);
	asked = asked_find(member, op, bytes);
	if (asked) {
		asked->is_open = false;
		found = asked->seq;
	}
	unlock(member);
	return found;
}
