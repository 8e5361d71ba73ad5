/*
 * nccl_objects.c - the irregular calls of NCCL: what makes and ends
 * communicators, groups, and what names no communicator.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nccl/nccl_call.h"
#include "nccl/nccl_objects.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"

#define ERROR_MISSING "the function is missing in this NCCL"
#define COLOUR_SHRINK INT32_MIN /* no split's colour: those are not negative */

void (*tacho_nccl_around)(int change);
__thread struct nccl_thread tacho_nccl_thread;
_Atomic uint32_t tacho_cuda_captures;

static bool is_good(int result)
{
	return result == NCCL_SUCCESS || result == NCCL_IN_PROGRESS;
}

/* A new membership of which only this is known yet. */
static struct nccl_member model(struct nccl_library *library, uint64_t hash, int size, int rank)
{
	return (struct nccl_member){ .nccl = library,
		.hash = hash,
		.size = size,
		.rank = rank,
		.device = -1 };
}

static void member_add(const struct nccl_member *model, nccl_comm comm, bool is_ready)
{
	struct nccl_member *member = nccl_member_add(model, comm, is_ready);

	if (member)
		nccl_profiler_link(member, is_ready);
}

/*
 * The program has made a communicator. In a group it is not there before the
 * group's end, so it is kept until then.
 */
static void member_born(const struct nccl_member *member, nccl_comm *made, int result)
{
	int saved = errno;
	struct nccl_birth *birth;

	if (!is_good(result) || nccl_is_off())
		return;
	if (!tacho_nccl_thread.depth) {
		if (*made)
			member_add(member, *made, result == NCCL_SUCCESS);
		errno = saved;
		return;
	}
	birth = malloc(sizeof(*birth));
	if (birth) {
		*birth = (struct nccl_birth){ .member = *member,
			.made = made,
			.next = tacho_nccl_thread.births };
		tacho_nccl_thread.births = birth;
	}
	errno = saved;
}

/* The group is over: its communicators exist, unless it failed. */
static void births_end(int result)
{
	struct nccl_birth *birth;
	int saved = errno;

	while ((birth = tacho_nccl_thread.births)) {
		tacho_nccl_thread.births = birth->next;
		if (is_good(result) && *birth->made)
			member_add(&birth->member, *birth->made, result == NCCL_SUCCESS);
		free(birth);
	}
	errno = saved;
}

int ncclGroupStart_by(struct nccl_library *library)
{
	static _Atomic uint32_t groups;
	struct nccl_open_call call = nccl_call_begin(REGION_ncclGroupStart, NULL, library, NULL);
	int ret = NCCL_REAL(call.nccl, ncclGroupStart) ? NCCL_REAL(call.nccl, ncclGroupStart)()
						       : nccl_missing();

	if (ret == NCCL_SUCCESS && call.is_outer && !tacho_nccl_thread.depth++)
		tacho_nccl_thread.group = atomic_fetch_add(&groups, 1) + 1;
	nccl_call_end(&call);
	return ret;
}

/* Leaves a group; whether that was the outermost. */
static bool group_leave(const struct nccl_open_call *call)
{
	if (!call->is_outer || !tacho_nccl_thread.depth || --tacho_nccl_thread.depth)
		return false;
	tacho_nccl_thread.group = 0;
	return true;
}

int ncclGroupEnd_by(struct nccl_library *library)
{
	struct nccl_open_call call = nccl_call_begin(REGION_ncclGroupEnd, NULL, library, NULL);
	uint32_t group = tacho_nccl_thread.group;
	bool ends = group_leave(&call);
	int ret;

	ret = NCCL_REAL(call.nccl, ncclGroupEnd) ? NCCL_REAL(call.nccl, ncclGroupEnd)()
						 : nccl_missing();
	if (!ends) {
		nccl_call_end(&call);
		return ret;
	}
	nccl_call_end_full(&call, 0, 0, SPOOL_NCCL_NO_PEER, group);
	births_end(ret);
	return ret;
}

/* Ends the group without carrying anything out. */
int ncclGroupSimulateEnd_by(struct nccl_library *library, void *info)
{
	struct nccl_open_call call = nccl_call_begin(REGION_ncclGroupSimulateEnd, NULL, library,
		NULL);
	bool ends = group_leave(&call);
	int ret = NCCL_REAL(call.nccl, ncclGroupSimulateEnd)
		? NCCL_REAL(call.nccl, ncclGroupSimulateEnd)(info)
		: nccl_missing();

	nccl_call_end(&call);
	if (ends)
		births_end(NCCL_INVALID_USAGE);
	return ret;
}

/* The body of a call of which there is nothing to record. */
#define PLAIN(result, name, params, args, otherwise)                                               \
	result name##_by(struct nccl_library *library, BODY_UNPACK params)                         \
	{                                                                                          \
		struct nccl_open_call call = nccl_call_begin(REGION_##name, NULL, library, NULL);  \
		result ret = NCCL_REAL(call.nccl, name) ? NCCL_REAL(call.nccl, name) args          \
							: (otherwise);                             \
                                                                                                   \
		nccl_call_end(&call);                                                              \
		return ret;                                                                        \
	}

PLAIN(int, ncclGetUniqueId, (struct nccl_id * id), (id), nccl_missing())
PLAIN(int, ncclMemAlloc, (void **memory, size_t size), (memory, size), nccl_missing())
PLAIN(int, ncclMemFree, (void *memory), (memory), nccl_missing())
PLAIN(const char *, ncclGetErrorString, (int result), (result), ERROR_MISSING)
PLAIN(const char *, ncclGetLastError, (nccl_comm comm), (comm), ERROR_MISSING)

int ncclGetVersion_by(struct nccl_library *library, int *version)
{
	struct nccl_open_call call = nccl_call_begin(REGION_ncclGetVersion, NULL, library, NULL);
	int ret = NCCL_REAL(call.nccl, ncclGetVersion)
		? NCCL_REAL(call.nccl, ncclGetVersion)(version)
		: nccl_missing();

	nccl_call_end(&call);
	return ret;
}

/* Which NCCL it is, when it makes its first communicator. */
static void library_write(struct nccl_library *library)
{
	static _Atomic uint32_t reported[NCCL_LIBRARIES];
	__typeof__(&ncclGetVersion) get = NCCL_REAL(library, ncclGetVersion);
	int version, number = library ? (int)(library - tacho_nccl_libraries) : 0;
	char text[24], key[32];

	if (!get || nccl_is_off() || atomic_exchange(&reported[number], 1) ||
		get(&version) != NCCL_SUCCESS)
		return;
	/* 2.8.3 is 2803, 2.28.9 is 22809 */
	snprintf(text, sizeof(text), "%d.%d.%d", version / (version < 10000 ? 1000 : 10000),
		version / 100 % (version < 10000 ? 10 : 100), version % 100);
	snprintf(key, sizeof(key), number ? "process.nccl_version_%d" : "process.nccl_version",
		number);
	process_define_property(key, text);
}

/*
 * Begins a call that makes communicators: from here on the plugin knows that
 * wrappers see NCCL.
 */
static inline __attribute__((always_inline)) struct nccl_open_call make_begin(unsigned region,
	nccl_comm comm, struct nccl_library *library, void *caller)
{
	atomic_store(&tacho_nccl_is_wrapped, 1);
	return nccl_call_begin(region, comm, library, caller);
}

/* What the initialising calls have in common; `hash` is of what all members share. */
static void init_end(struct nccl_open_call *call, nccl_comm *made, uint64_t hash, int size,
	int rank, int result)
{
	struct nccl_member member = model(call->nccl, hash, size, rank);
	bool is_outer = call->is_outer;

	nccl_call_end(call);
	if (!is_outer)
		return;
	member_born(&member, made, result);
	library_write(call->nccl);
}

int ncclCommInitRank_by(struct nccl_library *library, nccl_comm *made, int size, struct nccl_id id,
	int rank)
{
	struct nccl_open_call call = make_begin(REGION_ncclCommInitRank, NULL, library, NULL);
	int ret = NCCL_REAL(call.nccl, ncclCommInitRank)
		? NCCL_REAL(call.nccl, ncclCommInitRank)(made, size, id, rank)
		: nccl_missing();

	init_end(&call, made, nccl_hash(0, &id, sizeof(id)), size, rank, ret);
	return ret;
}

int ncclCommInitRankConfig_by(struct nccl_library *library, nccl_comm *made, int size,
	struct nccl_id id, int rank, void *config)
{
	struct nccl_open_call call = make_begin(REGION_ncclCommInitRankConfig, NULL, library, NULL);
	int ret = NCCL_REAL(call.nccl, ncclCommInitRankConfig)
		? NCCL_REAL(call.nccl, ncclCommInitRankConfig)(made, size, id, rank, config)
		: nccl_missing();

	init_end(&call, made, nccl_hash(0, &id, sizeof(id)), size, rank, ret);
	return ret;
}

int ncclCommInitRankScalable_by(struct nccl_library *library, nccl_comm *made, int size, int rank,
	int nids, struct nccl_id *ids, void *config)
{
	struct nccl_open_call call = make_begin(REGION_ncclCommInitRankScalable, NULL, library,
		NULL);
	uint64_t hash = ids && nids > 0 ? nccl_hash(0, ids, (size_t)nids * sizeof(*ids)) : 1;
	int ret = NCCL_REAL(call.nccl, ncclCommInitRankScalable)
		? NCCL_REAL(call.nccl, ncclCommInitRankScalable)(made, size, rank, nids, ids,
			  config)
		: nccl_missing();

	init_end(&call, made, hash, size, rank, ret);
	return ret;
}

/* All members are in this process, so any number that no other process makes will do. */
static uint64_t hash_of_own(void)
{
	static _Atomic uint64_t count;
	uint64_t words[] = { sys_pid(), clock_ticks(), atomic_fetch_add(&count, 1) };
	uint64_t hash = nccl_hash(0, words, sizeof(words));

	return nccl_hash(hash, tacho_process.folder, strlen(tacho_process.folder));
}

int ncclCommInitAll_by(struct nccl_library *library, nccl_comm *made, int ndevices,
	const int *devices)
{
	struct nccl_open_call call = make_begin(REGION_ncclCommInitAll, NULL, library, NULL);
	uint64_t hash = hash_of_own();
	int ret = NCCL_REAL(call.nccl, ncclCommInitAll)
		? NCCL_REAL(call.nccl, ncclCommInitAll)(made, ndevices, devices)
		: nccl_missing();

	nccl_call_end(&call);
	for (int i = 0; i < ndevices && call.is_outer; i++) {
		struct nccl_member member = model(call.nccl, hash, ndevices, i);

		member.device = devices ? devices[i] : i;
		member_born(&member, &made[i], ret);
	}
	if (call.is_outer)
		library_write(call.nccl);
	return ret;
}

/* Existing members come with the communicator that grows, new ones with the id alone. */
int ncclCommGrow_by(struct nccl_library *library, nccl_comm comm, int size,
	const struct nccl_id *id, int rank, nccl_comm *made, void *config)
{
	struct nccl_open_call call = make_begin(REGION_ncclCommGrow, comm, library, NULL);
	uint64_t hash = id ? nccl_hash(0, id, sizeof(*id)) : 0;
	struct nccl_member member = model(call.nccl, hash, size, comm ? -1 : rank);
	int ret = NCCL_REAL(call.nccl, ncclCommGrow)
		? NCCL_REAL(call.nccl, ncclCommGrow)(comm, size, id, rank, made, config)
		: nccl_missing();
	bool is_outer = call.is_outer;

	nccl_call_end(&call);
	if (is_outer && id)
		member_born(&member, made, ret);
	return ret;
}

/*
 * Colour is the same for the members of one child. Counted on all members of the parent, also where
 * no child comes out.
 */
static struct nccl_member child(struct nccl_open_call *call, int32_t colour)
{
	struct nccl_member *parent = call->member;
	struct nccl_member member = model(call->nccl, 1, -1, -1);

	if (!parent)
		return member;
	member.parent = parent->hash;
	member.split = atomic_fetch_add(&parent->nsplits, 1);
	member.colour = colour;
	member.hash = nccl_hash(0, &member.parent, sizeof(member.parent));
	member.hash = nccl_hash(member.hash, &member.split, sizeof(member.split));
	member.hash = nccl_hash(member.hash, &member.colour, sizeof(member.colour));
	return member;
}

/* Ends a call that makes a child. Where the parent is not known, neither is the child. */
static void child_end(struct nccl_open_call *call, const struct nccl_member *member,
	nccl_comm *made, int result)
{
	bool is_known = call->is_outer && call->member;

	nccl_call_end(call);
	if (is_known)
		member_born(member, made, result);
}

TACHO_EXPORT int ncclCommSplit(nccl_comm comm, int colour, int key, nccl_comm *made, void *config)
{
	struct nccl_open_call call = nccl_call_begin(REGION_ncclCommSplit, comm, NULL,
		__builtin_return_address(0));
	struct nccl_member member = child(&call, colour);
	int ret = NCCL_REAL(call.nccl, ncclCommSplit)
		? NCCL_REAL(call.nccl, ncclCommSplit)(comm, colour, key, made, config)
		: nccl_missing();

	child_end(&call, &member, made, ret);
	return ret;
}

TACHO_EXPORT int ncclCommShrink(nccl_comm comm, int *excluded, int nexcluded, nccl_comm *made,
	void *config, int flags)
{
	struct nccl_open_call call = nccl_call_begin(REGION_ncclCommShrink, comm, NULL,
		__builtin_return_address(0));
	struct nccl_member member = child(&call, COLOUR_SHRINK);
	int ret = NCCL_REAL(call.nccl, ncclCommShrink)
		? NCCL_REAL(call.nccl, ncclCommShrink)(comm, excluded, nexcluded, made, config,
			  flags)
		: nccl_missing();

	child_end(&call, &member, made, ret);
	return ret;
}

/* The handle may be handed out again as soon as it is gone, so it is forgotten before. */
#define ENDS(name)                                                                                 \
	TACHO_EXPORT int name(nccl_comm comm)                                                      \
	{                                                                                          \
		struct nccl_open_call call = nccl_call_begin(REGION_##name, comm, NULL,            \
			__builtin_return_address(0));                                              \
		int ret;                                                                           \
                                                                                                   \
		nccl_member_forget(comm);                                                          \
		ret = NCCL_REAL(call.nccl, name) ? NCCL_REAL(call.nccl, name)(comm)                \
						 : nccl_missing();                                 \
		nccl_call_end(&call);                                                              \
		return ret;                                                                        \
	}

ENDS(ncclCommDestroy)
ENDS(ncclCommAbort)
