/* nccl_plugin.h - events as the stand-in for NCCL reports them to a profiler plugin. */
#ifndef STANDIN_NCCL_PLUGIN_H
#define STANDIN_NCCL_PLUGIN_H

#include "nccl_standin.h"

enum {
	EVENT_GROUP = 1 << 0,
	EVENT_COLL = 1 << 1,
	EVENT_P2P = 1 << 2,
	EVENT_PROXY_OP = 1 << 3,
	EVENT_PROXY_STEP = 1 << 4,
	EVENT_NET = 1 << 7,
	EVENT_GROUP_API = 1 << 8,
	EVENT_COLL_API = 1 << 9,
	EVENT_P2P_API = 1 << 10,
	EVENT_LAUNCH = 1 << 11,
	EVENT_CE_COLL = 1 << 12, /* version 6 */
};

/*
 * The fields of an event. Version 4 has the type in one byte and no API events, older ones have
 * other layouts: nccl_plugin_old.c.
 */
struct descriptor {
	uint64_t type;
	void *parent;
	int rank;
	union {
		struct {
			bool is_captured;
			int depth;
		} group_api;
		struct {
			const char *function;
			size_t count;
			const char *type;
			int root;
			void *stream;
			bool is_captured;
		} coll_api;
		struct {
			const char *function;
			size_t count;
			const char *type;
			void *stream;
			bool is_captured;
		} p2p_api;
		struct {
			void *stream;
		} launch;
		struct {
			uint64_t seq;
			const char *function;
			const void *send;
			void *recv;
			size_t count;
			int root;
			const char *type;
			uint8_t nchannels, nwarps;
			const char *algorithm, *protocol;
			void *group;
		} coll;
		struct {
			uint64_t seq;
			const char *function;
			const void *send;
			void *recv;
			size_t count;
			int root;
			const char *type, *strategy;
			bool is_synchronised;
			uint32_t size, n, number;
			void *stream;
		} ce_coll;
		struct {
			const char *function;
			void *buffer;
			const char *type;
			size_t count;
			int peer;
			uint8_t nchannels;
			void *group;
		} p2p;
		struct {
			pid_t pid;
			uint8_t channel;
			int peer, nsteps, chunk, is_send;
		} proxy_op;
		struct {
			int step;
		} proxy_step;
		struct {
			int64_t id;
			void *data;
		} net;
	};
};

struct table {
	const char *name;
	void *init;
	int (*start)(void *context, void **handle, void *event);
	int (*stop)(void *handle);
	int (*state)(void *handle, int state, void *arguments);
	int (*finalize)(void *context);
};

/* Reports an event of a task to a plugin of version 1, 2 or 3. */
void plugin_start_old(const struct table *table, int version, struct ncclComm *comm, void **handle,
	const struct descriptor *event);

#endif
