/*
 * replay_nccl.h - NCCL operations in the replay: an instance is one operation on all its members,
 * the activities of several devices. An activity arrives with its begin, waits at its end
 * until its gating members exist, and leaves. Other readers report what their members do.
 */
#ifndef ANALYZER_REPLAY_NCCL_H
#define ANALYZER_REPLAY_NCCL_H

#include "engine/mpi/replay.h"

struct nccl_op {
	const char *name; /* value of tacho.op */
	enum gate gate;	  /* which members gate which */
	double bus;	  /* bandwidth of the bus over the algorithm's, … */
	bool scaled;	  /* … times (n-1)/n */
	bool pair;	  /* a message between two, not a collective */
};

extern const struct nccl_op nccl_ops[];

/* Place of "send" in it. */
enum { NCCL_SEND = 8 };

/* NULL for an unknown operation. */
const struct nccl_op *nccl_operation(uint32_t op);

/* Names of algorithms and protocols are truncated there: absurd ones are not passed on. */
enum { NCCL_NAME = 32 };

/* One NCCL operation as a call or an activity reports it. */
struct nccl_call {
	uint64_t comm, seq, bytes;
	uint32_t device;		  /* ordinal in the process; MODEL_NONE: not recorded */
	uint32_t op;			  /* place in nccl_ops */
	int64_t root, peer;		  /* -1: not recorded */
	const char *algorithm, *protocol; /* NULL: not recorded */
};

/* An activity's part in an instance. */
struct nccl_use {
	uint32_t instance, member;
};

/*
 * A communicator. size: 0 while not known; defined: its number in the model, or MODEL_NONE.
 */
struct nccl_comm {
	uint64_t id;
	uint32_t size, defined;
	const char *name;
};

struct nccl_arrival {
	uint32_t process, device;
	int64_t rank; /* in the communicator; of the job when it is not recorded */
	/* its own: one end of a message sends, the other receives */
	uint32_t op;
	struct moment start;
};

/* A stream of any device. */
struct stream_place {
	uint32_t device, stream;
};

struct nccl_instance {
	uint64_t key, seq;
	int64_t number;		       /* of the row */
	uint32_t comm, op, left, last; /* last: member that came last */
	bool live, closed, pair;       /* closed: no further member can come */
	bool asked;		       /* other readers: whether all their streams are past it */
	uint32_t nconfirmed;	       /* of the reader that reported it */
	int64_t root, first, end;
	uint64_t bytes;
	const char *algorithm, *protocol; /* of a member that reports them */
	ARRAY_OF(struct nccl_arrival) members;
	struct moment latest;	    /* start of a member, on each clock */
	ARRAY_OF(uint32_t) waiting; /* parked tracks */
	/* of them the one that checks whether others can still come, */
	uint32_t watcher;
	int64_t watched;	    /* as its part ends first, then; INT64_MAX: none */
	struct stream_place passed; /* no stream before it can bring a member any more, */
	int64_t passed_until;	    /* when the instance ended then */
};

/* What members of a rank waited and transferred, ns. */
struct nccl_sum {
	uint32_t comm, op;
	int64_t rank;
	uint64_t n;
	int64_t wait, transfer;
};

/* The algorithm and protocol of the latest row, and how the table names them together. */
struct nccl_variant {
	const char *algorithm, *protocol, *text;
};

struct nccl_replay {
	ARRAY_OF(struct nccl_comm) comms;
	ARRAY_OF(struct nccl_instance) instances;
	ARRAY_OF(uint32_t) free_instances;
	ARRAY_OF(struct nccl_sum) sums;
	/* by id; by key; by place of the sum */
	struct idmap comm_numbers, instance_numbers, sum_numbers;
	struct nccl_variant variant;
};

struct note;

/* The operation of a call or an activity; false when its attributes are too few. */
bool nccl_call_read(struct track *track, const struct event *event, struct nccl_call *call);

/* Bus bandwidth over the algorithm's, for n members: 2(n-1)/n, (n-1)/n or 1. */
double nccl_bus_factor(const struct nccl_op *op, uint32_t n);

/*
 * The call takes part in its operation, as the stream's activity or as one of its group. False
 * without memory.
 */
bool nccl_arrive(struct track *track, const struct nccl_call *call);

/* All members that gate the stream's activity have come by; else it waits to be taken up again. */
bool nccl_ready(struct track *track);

/* The latest start of the activities that gate the stream's. */
struct moment nccl_gate(struct track *track);

/* The stream's activity has ended at t. */
void nccl_leave(struct track *track, int64_t t);

/*
 * Members that have come to the stream's instance: of two that hold each other up, the
 * fuller one is complete.
 */
size_t nccl_present(const struct track *track);

/* Whether all members of the stream's instance wait for all, and a member is not in the trace. */
bool nccl_lacks_members(const struct track *track);

/* After all events: the rows of incomplete instances. */
void nccl_rest(struct engine *engine);

/* That, and communicators and sums by rank. */
void nccl_finish(struct engine *engine);
void nccl_close(struct engine *engine);

/*
 * What another reader sends: a member of its has come; has left at t; all its streams are past the
 * instance.
 */
void nccl_reported(struct engine *engine, uint64_t key, const struct nccl_call *call,
	const struct nccl_arrival *member);
void nccl_left(struct engine *engine, uint64_t key, int64_t t);
void nccl_confirmed(struct engine *engine, uint64_t key);

/* Members of the instance may still come. */
bool nccl_is_awaited(const struct engine *engine, uint64_t key);

/* No stream that is read here can still bring a member of an instance that ended at t. */
bool nccl_passed(struct engine *engine, uint64_t key, int64_t t);

/* A reader's sums and sizes of communicators go to the writer; which takes them. */
void nccl_pack(struct engine *engine);
void nccl_take_sum(struct engine *engine, const struct note *note);
void nccl_take_comm(struct engine *engine, const struct note *note);

/* --- between the parts of replay_nccl*.c --- */

/* The same on all members, which come with `rank` in the communicator. */
uint64_t nccl_call_key(const struct nccl_call *call, int64_t rank);

/*
 * A pair's messages have their own count: the two ranks are in the upper bits, after all other
 * operations. There are at most as many ranks as merge accepts (merge_nccl_comms.c); the other
 * bits of 63 are the message's number.
 */
enum { NCCL_RANK_BITS = 17, NCCL_PAIR_SEQ_BITS = 63 - 2 * NCCL_RANK_BITS };

int64_t nccl_call_number(const struct nccl_call *call, int64_t rank);

/* The communicator of that id, new or known, and its *number; NULL without memory. */
struct nccl_comm *nccl_comm_get(struct engine *engine, uint64_t id, uint32_t *number);

/* Those that are parked at the instance may be able to continue, all but track `but`. */
void nccl_wake(struct engine *engine, struct nccl_instance *instance, uint32_t but);

/* The row of an instance that is over, when it is for this reader to write. */
void nccl_row_write(struct engine *engine, const struct nccl_instance *instance);
void nccl_sum_add(struct engine *engine, const struct nccl_instance *instance,
	const struct nccl_arrival *member, int64_t wait, int64_t transfer);

/* Members of the instance when it is complete; 0: not known. */
static inline uint32_t nccl_size(const struct nccl_replay *nccl,
	const struct nccl_instance *instance)
{
	return instance->pair ? 2 : nccl->comms.at[instance->comm].size;
}

static inline bool nccl_is_root(const struct nccl_instance *instance, uint32_t member)
{
	return instance->members.at[member].rank == instance->root;
}

#endif
