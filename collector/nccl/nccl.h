/*
 * nccl.h - state that the NCCL wrappers share: libraries, communicators, groups. No nccl.h is
 * needed to build: handles are opaque, enumerations int (tests/nccl_abi_check.c compares with the
 * real header). Calls of NCCL are rare (one per bucket of gradients), so this is about order and
 * identity; the hot path is in span.h.
 */
#ifndef COLLECTOR_NCCL_H
#define COLLECTOR_NCCL_H

#include "mpi/mpi_map.h"
#include "core/source.h"

#define NCCL_SUCCESS	   0
#define NCCL_INVALID_USAGE 5
#define NCCL_IN_PROGRESS   7

#define NCCL_CALLS     (REGION_COUNT - REGION_NCCL_FIRST_)
#define NCCL_LIBRARIES 4  /* of one process; further ones are left alone */
#define NCCL_ASKED     64 /* collectives whose plans may be outstanding; power of two */

typedef void *nccl_comm;

struct nccl_id {
	char bytes[128];
};

/* A loaded object that has NCCL's functions. */
struct nccl_library {
	_Atomic uintptr_t base; /* where it is; 0: free */
	void *handle;		/* of dlopen, kept: its functions may be called any time */
	void *_Atomic real[NCCL_CALLS];
};

extern struct nccl_library tacho_nccl_libraries[NCCL_LIBRARIES] HIDDEN;

/* A collective that was asked for, until the profiler plugin states how NCCL carries it out. */
struct nccl_asked {
	uint64_t bytes;
	uint32_t seq;
	uint8_t op; /* enum trace_op */
	bool is_open;
};

/*
 * This process's membership in a communicator. It stays when the communicator
 * is destroyed: a plugin or a thread may still hold it.
 */
struct nccl_member {
	nccl_comm comm; /* NULL: one that only the profiler plugin has reported */
	struct nccl_library *nccl;
	uint64_t hash, parent;
	uint32_t split;
	int32_t colour;
	int32_t rank, size, device;  /* -1: not known yet */
	_Atomic uint32_t id;	     /* of DEF_NCCL_COMM; 0: not defined yet */
	_Atomic uint32_t nsplits;    /* children so far */
	_Atomic uint32_t seq;	     /* collectives so far */
	_Atomic uint32_t has_plugin; /* a context of the profiler plugin belongs to it */
	int *_Atomic mask;     /* where NCCL reads which events it is to report; NULL: not known */
	_Atomic uint32_t lock; /* of the list below */
	struct nccl_asked asked[NCCL_ASKED];
};

/* A communicator that is made by the group in progress: it exists when the group has ended. */
struct nccl_birth {
	struct nccl_birth *next;
	struct nccl_member member;
	nccl_comm *made;
};

/*
 * A thread's group. Separate TLS, since groups count outside the capture window as well, where the
 * thread may have no spool.
 */
struct nccl_thread {
	uint32_t depth, group;
	/* in a call: one that NCCL makes to itself (ncclBcast calls ncclBroadcast) is part of it */
	uint32_t inside;
	bool is_around; /* tacho_nccl_around() knows of it */
	struct nccl_birth *births;
};
extern __thread struct nccl_thread tacho_nccl_thread HIDDEN
	__attribute__((tls_model("initial-exec")));

/* Called as a call of the program begins (1) and ends (-1); set once, NULL until then. */
extern void (*tacho_nccl_around)(int change) HIDDEN;

/* Captures of streams into CUDA graphs in progress in this process: counted by cuda_graph.c. */
extern _Atomic uint32_t tacho_cuda_captures HIDDEN;

/*
 * The thread when it records a call of NCCL. What a graph may be capturing is recorded outside the
 * capture window as well: the graph's launches may be inside.
 */
static inline struct thread *nccl_thread_self(unsigned region)
{
	struct thread *self = thread_self(region);

	if (unlikely(!self && atomic_load_explicit(&tacho_cuda_captures, memory_order_relaxed)))
		return thread_self(REGION_NONE);
	return self;
}

/* By handle: struct nccl_member. */
extern struct map tacho_nccl_members HIDDEN;

/* The membership, NULL when the communicator is not known. */
static inline struct nccl_member *nccl_member_find(nccl_comm comm)
{
	return comm ? (struct nccl_member *)map_get(&tacho_nccl_members, (uintptr_t)comm) : NULL;
}

/*
 * Registers a communicator as in `model` (nccl, hash, parent, split, colour, and rank and size if
 * known). `is_ready`: it may be asked for the rest at once, else at its first operation. NULL
 * without memory.
 */
struct nccl_member *nccl_member_add(const struct nccl_member *model, nccl_comm comm,
	bool is_ready) HIDDEN;

/* Defines it unless that has been done. Returns its id or 0. */
uint32_t nccl_member_define(struct nccl_member *member) HIDDEN;

/* Forgets the handle, before it is destroyed. */
void nccl_member_forget(nccl_comm comm) HIDDEN;

/* The next collective of a communicator: its place in the order, to be given to the plugin too. */
uint32_t nccl_member_ask(struct nccl_member *member, unsigned op, uint64_t bytes) HIDDEN;

/* It was refused: takes it back, if it still is the last. */
void nccl_member_unask(struct nccl_member *member, uint32_t seq) HIDDEN;

/*
 * The oldest collective asked for with this operation and size whose plan has
 * not been reported, UINT32_MAX when there is none.
 */
uint32_t nccl_member_take(struct nccl_member *member, unsigned op, uint64_t bytes) HIDDEN;

/* Whether there is one. */
bool nccl_member_is_asked(struct nccl_member *member, unsigned op, uint64_t bytes) HIDDEN;

/* 64 bits of some bytes, continuing from `hash` (0: start). Never 0. */
uint64_t nccl_hash(uint64_t hash, const void *bytes, size_t n) HIDDEN;

/* Bytes of a ncclDataType_t, 0 unknown. */
static inline uint64_t nccl_type_bytes(int type)
{
	static const uint8_t sizes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1 };

	return type >= 0 && (size_t)type < sizeof(sizes) ? sizes[type] : 0;
}

/*
 * The library at an address in it. NULL when there are too many or the
 * address is of no object, or of libtacho.
 */
struct nccl_library *nccl_library_at(void *address) HIDDEN;

/*
 * The library that a call of `region` from `caller` would have reached without us: the global
 * scope's, else the caller's own, else any that is loaded.
 */
struct nccl_library *nccl_library_of(unsigned region, void *caller) HIDDEN;

/* A library's function; NULL when it has none. */
void *nccl_real_lookup(struct nccl_library *library, unsigned region) HIDDEN;

static inline void *nccl_real(struct nccl_library *library, unsigned region)
{
	void *found = library ? atomic_load_explicit(&library->real[region - REGION_NCCL_FIRST_],
					memory_order_relaxed)
			      : NULL;

	return likely(found) ? found : nccl_real_lookup(library, region);
}

/* A library's function, with the type of its wrapper. */
#define NCCL_REAL(library, name) ((__typeof__(&name))nccl_real(library, REGION_##name))

/* Where the function is missing: what NCCL answers to a call it does not support. */
int nccl_missing(void) HIDDEN;

/* Number of the region of a function's name, 0 for one that is not wrapped. */
unsigned nccl_region(const char *name) HIDDEN;

/* Look-ups of NCCL's functions get the wrappers. */
extern const struct source tacho_nccl_source HIDDEN;

/* What is known of NCCL's network is written at the end. */
extern const struct source tacho_proxy_source HIDDEN;

/*
 * Ties a communicator to what NCCL's profiler plugin learnt of it, or will
 * be when it is not ready yet (`is_ready` false: it is being made).
 */
void nccl_profiler_link(struct nccl_member *member, bool is_ready) HIDDEN;

/* Before main: lets NCCL find the plugin, unless the user has set another one. */
void nccl_announce(void) HIDDEN;

/* A wrapper has made a communicator: the plugin need not report calls. */
extern _Atomic uint32_t tacho_nccl_is_wrapped HIDDEN;

#endif
