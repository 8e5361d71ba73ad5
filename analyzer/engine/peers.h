/*
 * peers.h - other processes that share the analysis, as the engine sees them: which process reads
 * which locations, and where to report an event that another process waits for. parallel/ makes and
 * serves them; in a single process n is 0, and no function is called.
 */
#ifndef ANALYZER_PEERS_H
#define ANALYZER_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers.h"
#include "base/pack.h"
#include "base/shm_ring.h"

struct engine;
struct arrival;
struct channel;
struct collective;
struct device_sums;
struct nccl_call;
struct nccl_arrival;
struct need;
struct split;
struct step_window;
struct track;
enum side;

/*
 * Messages that the engine sends, and takes from others by separate functions; further types belong
 * to parallel/.
 */
enum {
	/* between readers */
	NOTE_FOUND,
	NOTE_AGREED,
	/* to the writer */
	NOTE_HELD,
	NOTE_COLLECTIVES,
	NOTE_NCCL_COMM,
	NOTE_NCCL_SUM,
	NOTES_OF_ENGINE
};

/* Members of a communicator that another reader has. */
struct peer_part {
	uint32_t worker, highest;
};

struct peer_comm {
	uint32_t home;	 /* the reader that has member 0: it writes the rows */
	uint32_t nlocal; /* members here */
	bool disturbed;	 /* an instance ended here without all that it waits for */
	ARRAY_OF(struct peer_part) others;
};

/* To be called while there are others. */
struct peer_calls {
	/* One side of a message; another process reads the other side. */
	void (*publish)(struct engine *engine, const struct channel *channel, enum side side,
		const struct arrival *posted);
	/* A parked sender asks whether its receiver has come past t, once; need->passed is set when it has. */
	void (*ask)(struct track *track, struct need *need, int64_t t);
	/* A track has continued: processes that asked for it, or search for it, may be informed. */
	void (*progress)(struct track *track);

	/* A member arrived here; all members that are here have left at their ends; it is over. */
	void (*arrived)(struct engine *engine, struct collective *collective, uint32_t member,
		const struct arrival *posted);
	void (*left)(struct engine *engine, struct collective *collective);
	void (*dropped)(struct engine *engine, struct collective *collective);

	/* All ranks that are read here have had the step: to the writer. */
	void (*step)(struct engine *engine, const struct step_window *step);
	/* The time of a reader's devices in a window, to the writer; there: how long it was. */
	void (*window)(struct engine *engine, const char *name, const struct device_sums *sums);
	void (*window_close)(struct engine *engine, const char *name, int64_t measured,
		const int64_t replayed[]);

	/*
	 * A member has come, has left at t; have others come past the instance? That is asked when
	 * nothing else can be done: mostly its other members come before.
	 */
	void (*nccl_arrived)(struct engine *engine, uint64_t key, const struct nccl_call *call,
		const struct nccl_arrival *member);
	void (*nccl_left)(struct engine *engine, uint64_t key, int64_t t);
	void (*nccl_ask)(struct engine *engine, uint64_t key, int64_t t);

	/* What the pack holds goes to the writer, `n` bytes to it and to each other reader. */
	void (*send)(struct engine *engine, uint32_t type);
	void (*send_all)(struct engine *engine, uint32_t type, const void *data, size_t n);
	/* Takes what other readers send until *count has come to `wanted`. 0, or -1 (reported). */
	int (*await)(struct engine *engine, const uint32_t *count, uint32_t wanted);
};

struct peers {
	uint32_t n;	  /* readers; 0: this process does everything */
	uint32_t self;	  /* 0: the writer; 1 to n: a reader */
	uint32_t *owners; /* by location: its reader */
	uint32_t *process_owners;
	struct peer_comm *comms;
	uint32_t nranks;  /* that are read here */
	struct pack pack; /* scratch */
	const struct peer_calls *calls;
	struct split *split; /* the state of the code that serves them */
};

/* This process reads the location. */
static inline bool peers_reads_here(const struct peers *peers, uint32_t location)
{
	return !peers->n || peers->owners[location] == peers->self;
}

/* It takes over what readers find. */
static inline bool peers_writes_here(const struct peers *peers)
{
	return peers->n && !peers->self;
}

/* The process is read elsewhere. */
static inline bool peers_is_remote(const struct peers *peers, uint32_t process)
{
	return peers->n && peers->process_owners[process] != peers->self;
}

#endif
