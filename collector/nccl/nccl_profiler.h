/* nccl_profiler.h - NCCL's profiler plugin: what its parts share. */
#ifndef COLLECTOR_NCCL_PROFILER_H
#define COLLECTOR_NCCL_PROFILER_H

#include "nccl/nccl_call.h"

#define EVENTS 256 /* calls in progress per communicator; power of two */

/* Kinds of event. */
enum {
	EVENT_GROUP = 1 << 0,
	EVENT_COLL = 1 << 1,
	EVENT_P2P = 1 << 2,
	EVENT_PROXY_OP = 1 << 3,
	EVENT_PROXY_STEP = 1 << 4,
	EVENT_NET = 1 << 7,
	EVENT_GROUP_API = 1 << 8,
	EVENT_COLL_API = 1 << 9,
	EVENT_KERNEL_LAUNCH = 1 << 11,
	EVENT_CE_COLL = 1 << 12, /* since version 6: a collective by copies, without a kernel */
};

/* Members of an event of NCCL's that are read. */
struct descriptor {
	uint64_t type; /* a byte in version 4 */
	void *parent;
	int rank;
	union {
		struct {
			uint64_t seq; /* per function, not per communicator */
			const char *function;
			const void *send;
			void *recv;
			size_t count;
			int root;
			const char *type;
			uint8_t nchannels, nwarps;
			const char *algorithm, *protocol;
		} coll;
		struct {
			const char *function;
			void *buffer;
			const char *type;
			size_t count;
			int peer;
			uint8_t nchannels;
		} p2p;
		struct {
			const char *function;
			size_t count;
			const char *type;
			int root;
			void *stream;
		} coll_api;
		struct {
			int pid; /* of the process whose operation it is */
			uint8_t channel;
			int peer, nsteps, chunk, is_send;
		} proxy_op;
		struct {
			int step;
		} proxy_step;
		struct {
			int64_t id;
			const void *data;
		} net;
	};
};

/* What the handle of an event is; each begins with this. */
enum handle_kind { HANDLE_CALL, HANDLE_PROXY_OP, HANDLE_PROXY_STEP };

/* A call of a static NCCL in progress. */
struct profiler_event {
	enum handle_kind kind;
	struct span span;
	uint64_t bytes;
	uint32_t seq, peer, group;
	struct nccl_member *member;
};

/*
 * What init() got. Versions 1 to 3 say neither size nor rank: the rank
 * stays -1 then, the size becomes that of the communicator.
 */
struct context {
	struct context *next; /* of those without partner, oldest first */
	uint64_t hash;
	int size, rank;
	int *mask; /* where NCCL reads which events it is to report */
	struct nccl_member *_Atomic member;
	_Atomic uint32_t nevents;
	struct profiler_event events[EVENTS];
};

/* Takes a context in; its communicator may have been made, or be in the making. */
void nccl_pair_add(struct context *context) HIDDEN;

/* The context's communicator, NULL when it is not known (yet). */
struct nccl_member *nccl_pair_member(struct context *context) HIDDEN;

/*
 * The same for a context of unknown size and rank, by the first collective reported
 * of it: `bytes` of operation `op`, to be multiplied by the size if `is_scaled`.
 */
struct nccl_member *nccl_pair_guess(struct context *context, int rank, unsigned op, uint64_t bytes,
	bool is_scaled) HIDDEN;

/* Names of ncclDataType_t, without "nccl". */
enum { NCCL_TYPES = 12 };
extern const char *const tacho_nccl_types[NCCL_TYPES] HIDDEN;

/* The plugin's functions. `has_api`: the version of the interface has events of calls. */
int nccl_plugin_init(void **handle, int *mask, uint64_t hash, int size, int rank) HIDDEN;
int nccl_plugin_start(struct context *context, void **handle, unsigned type,
	const struct descriptor *event, bool has_api) HIDDEN;
int nccl_plugin_stop(void *handle) HIDDEN;
int nccl_plugin_state(void *handle, int state, void *arguments) HIDDEN;
int nccl_plugin_finalize(void *context) HIDDEN;

/* The plugin's table as NCCL looks it up; functions that only differ in a struct have one type. */
#define PLUGIN(version, init_type, start)                                                          \
	TACHO_EXPORT const struct {                                                                \
		const char *name;                                                                  \
		__typeof__(&init_type) init;                                                       \
		__typeof__(&start) start_event;                                                    \
		int (*stop_event)(void *handle);                                                   \
		int (*record_event_state)(void *handle, int state, void *arguments);               \
		int (*finalize)(void *context);                                                    \
	} ncclProfiler_v##version = {                                                              \
		"tacho",                                                                           \
		init_type,                                                                         \
		start,                                                                             \
		nccl_plugin_stop,                                                                  \
		nccl_plugin_state,                                                                 \
		nccl_plugin_finalize,                                                              \
	};

#endif
