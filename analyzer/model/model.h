/*
 * model.h - the meaning of an archive's definitions: nodes, processes,
 * threads, communicators, files, and for each region its class by the rules
 * of tacho's classification (the outermost runtime region decides the state).
 * Everything is numbered from 0; refs of the archive are left behind here.
 */
#ifndef ANALYZER_MODEL_H
#define ANALYZER_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/device.h"
#include "otf2/otf2_in.h"
#include "tacho/trace.h"

#define MODEL_NONE UINT32_MAX

struct node {
	const char *hostname;
	const in_properties *properties;
};

struct process {
	const struct in_group *group;
	uint32_t node, parent; /* MODEL_NONE: not known, none */
	int64_t rank;	       /* -1: a child without a rank */
	int64_t pid;	       /* -1: not known */
	int64_t exit_status;   /* -1: not known, or 0 */
	bool unmarked;	       /* it marks no steps, while other ranks do */
	int64_t attempt; /* of a launcher that restarts ranks, from 1; -1: it is not recorded */
	/* what killed it, and the room and use of /dev/shm then, bytes; -1: not known */
	int64_t signal, shm_bytes, shm_used;
	/* location of the main thread; MODEL_NONE: it has no thread */
	uint32_t main;
	int64_t id; /* row in the database */
};

struct location {
	const struct in_location *in;
	uint32_t process; /* MODEL_NONE: belongs to none (metrics) */
	bool is_main;
	/* of a stream: its device, that one's number in the process; MODEL_NONE: a thread */
	uint32_t device, ordinal;
	uint64_t stream; /* number on the device */
};

/* Classes of host regions. NAME(enumerator, name in the database's call table, host state) */
#define REGION_KINDS(NAME)                                                                         \
	NAME(USER, "user", USEFUL)                                                                 \
	NAME(IO, "io", IO)                                                                         \
	NAME(MPI, "mpi", MPI)                                                                      \
	NAME(GLOO, "gloo", GLOO)                                                                   \
	NAME(CUDA, "cuda", CUDA)                                                                   \
	NAME(NCCL, "nccl", CUDA)                                                                   \
	NAME(WAIT, "wait", WAIT)                                                                   \
	NAME(OMP, "omp", OMP_IDLE)                                                                 \
	NAME(WAKE, "wait", USEFUL)                                                                 \
	NAME(SOCKET, "wait", WAIT)

enum region_kind {
#define NAME(id, text, state) KIND_##id,
	REGION_KINDS(NAME)
#undef NAME
		KIND_COUNT
};

/* Calls of hosts that exchange data with other ranks, which the replay follows. */
static inline bool kind_communicates(enum region_kind kind)
{
	return kind == KIND_MPI || kind == KIND_GLOO;
}

enum region_mark { MARK_NONE, MARK_PHASE, MARK_STEP };

/*
 * The parts of a training, as PyTorch's regions mark them: they define steps, and steps consist of
 * them. Time has two more values: TRAINING_EXCHANGE for calls that communicate, anywhere; and
 * TRAINING_NONE for all else.
 */
enum training {
	TRAINING_NONE,
	TRAINING_LOADING,
	TRAINING_FORWARD,
	TRAINING_BACKWARD,
	TRAINING_OPTIMIZER,
	TRAINING_SAVING, /* or in a phase "checkpoint" */
	TRAINING_EXCHANGE,
	TRAINING_COUNT,
	TRAINING_ANY = TRAINING_COUNT
};

/* Calls that the use of MPI begins and ends with. */
enum region_bound { BOUND_NONE, BOUND_INIT, BOUND_FINALIZE };

/*
 * When a send returns: without its receiver, only with it, never waiting for it; or only with it
 * as others of its size do, unless it did not.
 */
enum send_mode { SEND_STANDARD, SEND_RENDEZVOUS, SEND_EAGER, SEND_LONG };

/* Whether a kernel is matrix work outside of tensor cores, as far as its name shows. */
enum kernel_matrix { MATRIX_UNASKED, MATRIX_PLAIN, MATRIX_NONE };

/* The effect of a call on the ranks of a window. */
enum rma_sync { RMA_NONE, RMA_POST, RMA_START, RMA_COMPLETE, RMA_WAIT };

struct region {
	const char *name;
	enum region_kind kind;
	enum region_mark mark;
	enum training training;
	enum region_bound bound;
	enum send_mode mode; /* of an MPI call that sends */
	bool communicates;   /* an MPI call that cannot but communicate */
	/* an MPI call that waits for ranks that the trace does not name */
	bool ungated;
	bool neighbours; /* a collective of neighbours */
	enum rma_sync sync;
	/* an MPI call that checks whether something has come, and does not wait for it */
	bool polls;
	/* MPI_File_…; of those a read or write by all ranks of the file */
	bool file_call, file_by_all;
	bool file_begins;	      /* the first half of a split one: its …_end has the bytes */
	bool sleeps;		      /* for a time that the caller gives: has no partner */
	bool times_out;		      /* … as it polls, and nothing came */
	bool semaphore;		      /* waits for one: a lock or queue of Python's */
	bool for_child;		      /* waits for the end of a child process */
	bool proc_counts;	      /* its bytes are in rchar or wchar of /proc/PID/io */
	enum activity_class activity; /* on a device */
	enum kernel_matrix matrix;    /* asked for by kernel_is_plain_matrix() alone */
	enum device_call device_call;
};

static inline bool region_is_checkpoint(const struct region *region)
{
	return region->mark == MARK_PHASE && strcmp(region->name, "checkpoint") == 0;
}

static inline enum training region_training(const struct region *region)
{
	return region_is_checkpoint(region) ? TRAINING_SAVING : region->training;
}

extern const char *const region_kind_names[KIND_COUNT];
extern const enum host_state region_kind_states[KIND_COUNT];

struct comm {
	const char *name;
	/*
	 * processes by rank, of an inter-communicator then the ranks of the other group; NULL: of
	 * the process itself alone
	 */
	uint32_t *members;
	uint32_t *remote; /* the targets of messages: members, or the other group */
	/* by rank: the process of the stream that represents it; MODEL_NONE: a thread does */
	uint32_t *devices;
	uint32_t nmembers, nremote;
	uint32_t nall;		       /* processes that meet in its collectives: of both groups */
	uint32_t *ranks;	       /* by process, made at first use by model_comm_rank() */
	struct neighbours *neighbours; /* by place (model/neighbours.h); NULL: not known of any */
	bool spans_nodes;
	bool gloo; /* of torch.distributed */
	bool inter;
	bool self; /* each process has its own one, as MPI_COMM_SELF */
};

struct file {
	const char *path;
	const char *socket; /* as in struct in_file */
	uint32_t other;	    /* of a socket the file that is its other end; MODEL_NONE: not known */
};

struct model {
	struct archive *archive;
	ARRAY_OF(struct node) nodes;
	ARRAY_OF(struct process) processes;
	ARRAY_OF(struct location) locations; /* numbered as in the archive */
	ARRAY_OF(struct region) regions;
	ARRAY_OF(struct device) devices;
	ARRAY_OF(struct comm) comms;
	ARRAY_OF(struct file) files; /* the last one represents unknown ones */
	uint32_t *handle_files;	     /* file of each handle */
	OTF2_AttributeRef attributes[ATTRIBUTE_COUNT];
	uint32_t nranks;
	int64_t attempt;	       /* that the ranks are of; -1: it is not recorded */
	bool has_attempts;	       /* there are processes of others */
	bool trains[TRAINING_ANY + 1]; /* there are PyTorch's regions of that part, of any */
};

/* Makes sense of an open archive, which must outlive the model. 0, or -1 (reported). */
int model_build(struct model *model, struct archive *archive);
void model_free(struct model *model);

/* Whether a process is of another attempt than the ranks, or of what such a one started. */
static inline bool model_is_other_attempt(const struct model *model, size_t process)
{
	int64_t attempt = model->processes.at[process].attempt;

	return attempt > 0 && model->attempt > 0 && attempt != model->attempt;
}

/*
 * Number of a region, communicator or handle by its reference; MODEL_NONE when it was not defined.
 */
static inline uint32_t model_region(const struct model *model, uint64_t ref)
{
	return idmap_find(&model->archive->regions.map, ref);
}

static inline uint32_t model_comm(const struct model *model, uint64_t ref)
{
	return idmap_find(&model->archive->comms.map, ref);
}

/* Communicator of a file that its ranks share, MODEL_NONE: none. */
uint32_t model_handle_comm(const struct model *model, uint64_t ref);

/* Place of a process among all members of both groups, MODEL_NONE when it is none. */
uint32_t model_comm_place(struct model *model, uint32_t comm, uint32_t process);

/* Rank of a process in a communicator's first group, MODEL_NONE when it is no member. */
uint32_t model_comm_rank(struct model *model, uint32_t comm, uint32_t process);

/*
 * The process at the other end of a message that `self` reports, by its rank there; MODEL_NONE
 * when there is none.
 */
uint32_t model_peer(struct model *model, uint32_t comm, uint32_t self, uint32_t rank);

/* File that a handle is open on; the unknown one when no definition has it. */
uint32_t model_handle_file(const struct model *model, uint64_t ref);

#endif
