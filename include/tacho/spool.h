/*
 * spool.h - the contract between libtacho (writes spools in the traced process) and `tacho merge` (reads them).
 *
 * One folder per process: RUN/spool/<hostname>.<pid>.<k>/ (k counts the programs that one pid ran,
 * by exec), mode 0700, with these files, mode 0600. A forked child begins in a slot of its parent's
 * folder (slot.h).
 *
 *   process     definitions, mapped: process, names, handles, communicators, environment, clock
 *               pairs, end (struct spool_def).
 *   state       one mapped page, struct spool_state: heartbeat and losses outside of spools.
 *   thread.<n>  one per thread, mapped: struct spool_head in the first SPOOL_HEAD_SIZE bytes, then records.
 *   totals.<n>  of a bounded run: sums of the records that thread.<n> gave up (totals.h).
 *   profile.<n> of a bounded run, of large spools: sums of all but the last records (totals.h).
 *   kept.<n>    of a bounded run: those records that stay in detail (totals.h).
 *   claim       of a bounded run, empty: a process that has ended is being added to others' totals, or
 *               cannot be (totals.h).
 *   buckets     only of processes that train with PyTorch's DistributedDataParallel over gloo, mapped
 *               (buckets.h).
 *   python      only of processes with Python, mapped: struct spool_python, then entries.
 *   children.<n> only of processes that fork, mapped: slots in which their children begin (slot.h).
 *
 * All numbers are in the byte order of the machine that wrote them.
 */
#ifndef TACHO_SPOOL_H
#define TACHO_SPOOL_H

#include <stdatomic.h>
#include <stdint.h>

#define SPOOL_MAGIC	   "TACHOSPL"
#define SPOOL_VERSION	   10
#define SPOOL_HEAD_SIZE	   4096
#define SPOOL_MAX_DEPTH	   16	/* levels of nested wrapped calls with a frame */
#define SPOOL_INSIDE_FIRST (-4) /* below SPOOL_RANK_ANY and SPOOL_ROOT_NONE */
#define SPOOL_MAX_WORDS	   2048 /* of a record; longer lists use SPOOL_DONE_MORE */

/*
 * Reasons of losses: LOSS(enumerator, name in trace and database, counted kind, sentence). The kind
 * is event, spool (the file of a thread), process or name: `kind` of the table not_recorded.
 */
#define SPOOL_LOSSES(LOSS)                                                                         \
	LOSS(DISK_FULL, "disk_full", "event", "no space left where the spool lies")                \
	LOSS(LIMIT, "limit", "event", "the size limit of a spool was reached")                     \
	LOSS(NO_SPOOL, "no_spool", "event", "a thread's spool could not be created")               \
	LOSS(NO_DEFINITION, "no_definition", "event", "a name or communicator was not written")    \
	LOSS(NO_NAME, "no_name", "name",                                                           \
		"a name had no room in the budget: its calls count among others")                  \
	LOSS(TORN, "torn", "event", "a record was damaged and could not be read")                  \
	LOSS(MISSING, "missing", "spool", "a spool file is missing or unreadable")                 \
	LOSS(GPU_DROPPED, "gpu_dropped", "event", "CUPTI dropped activity records")                \
	LOSS(GPU_LATE, "gpu_late", "event", "activity records had not been delivered")             \
	LOSS(GPU_UNTIMED, "gpu_untimed", "event",                                                  \
		"activity records without a time, or with one outside of the recording")           \
	LOSS(SANDBOX, "sandbox", "event",                                                          \
		"recording ended before the program limited its system calls")                     \
	LOSS(UNREACHABLE, "unreachable", "event",                                                  \
		"the folder of spools could not be reached any more (rights, chroot, removed)")    \
	LOSS(FILE_LIMIT, "file_limit", "event",                                                    \
		"the limit on the size of a file was reached (ulimit -f)")                         \
	LOSS(NO_MEMORY, "no_memory", "event",                                                      \
		"a spool could not be mapped: limits on memory (ulimit -v, -l) or on mappings")    \
	LOSS(NO_DESCRIPTOR, "no_descriptor", "event",                                              \
		"a spool could not be opened: no descriptor was free (ulimit -n)")                 \
	LOSS(FAILED, "failed", "event", "the file system of the spools failed")                    \
	LOSS(JAILED, "jailed", "process",                                                          \
		"a child could not be recorded, as it did not reach the folder of spools: after "  \
		"chroot, in another mount namespace, or as another user")                          \
	LOSS(NO_FOLDER, "no_folder", "process",                                                    \
		"a child could not be recorded, as its folder of spools could not be made")        \
	LOSS(NOT_PRELOADED, "not_preloaded", "process",                                            \
		"a program that was started could not be recorded: static, of musl, or with "      \
		"rights of its own (setuid)")

#define LOSS(id, name, kind, text) LOSS_##id,
enum spool_loss { SPOOL_LOSSES(LOSS) LOSS_COUNT };
#undef LOSS

enum spool_clock {
	SPOOL_CLOCK_TSC = 1,	   /* invariant time stamp counter */
	SPOOL_CLOCK_MONOTONIC = 2, /* CLOCK_MONOTONIC in ns */
};

enum spool_kind {
	SPOOL_KIND_THREAD = 1,
	SPOOL_KIND_GPU = 2,
	SPOOL_KIND_SAMPLER = 3,
};

/*
 * A call that a thread is in. Written on entry, region last (release);
 * region 0 once it returned. A killed process leaves them as they were: that
 * is how a hang names its place. When the record of the call (same depth and
 * start) is in the spool too, the call had finished.
 */
struct spool_inside {
	uint64_t start; /* ticks */
	/*
	 * the record's second half of w0 (communicator, handle) or 0; of blocking messages and
	 * collectives above it the peer or root, see spool_inside_arg()
	 */
	uint64_t arg;
	_Atomic uint32_t region; /* enum region, 0 = not in a call */
	/* of a blocking collective: 1 + the larger of the bytes sent and received; 0: not known */
	uint32_t bytes;
};

/* Peers and roots from SPOOL_RANK_ANY, the least, on; nothing above the low half is none. */
static inline uint64_t spool_inside_arg(uint32_t a, int32_t peer)
{
	return (uint64_t)a | (uint64_t)(uint32_t)(peer - SPOOL_INSIDE_FIRST) << 32;
}
static inline int32_t spool_inside_peer(uint64_t arg)
{
	return (int32_t)(arg >> 32) + SPOOL_INSIDE_FIRST;
}

/* First bytes of thread.<n>. */
struct spool_head {
	char magic[8];	   /* SPOOL_MAGIC, written last */
	uint32_t version;  /* SPOOL_VERSION */
	uint32_t nregions; /* REGION_COUNT of the writer: tables must agree */
	uint32_t kind;	   /* enum spool_kind */
	uint32_t clock;	   /* enum spool_clock */
	uint32_t pid, tid;
	uint32_t number;  /* <n> of the file name, 0 = the first thread to record */
	uint32_t is_main; /* the process's initial thread (tid == pid) */
	char name[32];	  /* thread name, NUL-terminated */
	_Atomic uint64_t lost[LOSS_COUNT];
	struct spool_inside inside[SPOOL_MAX_DEPTH];
	/* ticks: since then records are lost for want of room; 0: there is room */
	_Atomic uint64_t gap;
	/* bytes: of the first chunk and, in a bounded spool, of the slots after it (totals.h); or 0 */
	uint32_t first_size, slot_size;
};

_Static_assert(sizeof(struct spool_head) <= SPOOL_HEAD_SIZE, "spool_head must fit its page");

/* The file `state`. */
struct spool_state {
	char magic[8]; /* SPOOL_MAGIC */
	uint32_t version;
	uint32_t clock;
	_Atomic uint64_t heartbeat; /* ticks: the process was alive then */
	/* ticks: exec was called; 0: it has failed, or was not called */
	_Atomic uint64_t replaced;
	_Atomic uint64_t lost[LOSS_COUNT];
	/* 1 + the process's exit status, once its last handler has run; 0: not known, or not yet */
	_Atomic uint32_t exited;
	/*
	 * signal that killed it while its parent's other children lived on, as the parent wrote, which was
	 * no recorded process: a launcher; 0: not known, or not so
	 */
	uint32_t killed_by;
	/* of a bounded run: bytes of its folder, as far as counted; bytes of definitions */
	_Atomic uint64_t bytes, names;
	/*
	 * kernels that the wrappers of exported functions saw launched, recorded or not; and
	 * kernels recorded by another way: if any, the number of all launches is unknown
	 */
	_Atomic uint64_t launches, launches_unseen;
};

/*
 * Records: 64-bit words. Word 0 is stored last (release); a zero word 0 ends the spool. They are in
 * the order in which calls *ended*, so a nested call comes before the call around it: all records
 * up to and including one of depth 0 form a group, and nothing outside a group is out of time
 * order.
 *
 *   w0   type:8 | depth:8 | region:16 | a:32      (bits from the low end)
 *   w1   start, ticks
 *   w2   duration in ticks:48 | words of the whole record:16
 *   w3…  by type
 *
 * SPOOL_PAD has only w0; its `a` is the number of bytes to skip, itself
 * included.
 */
enum spool_type {
	SPOOL_PAD = 1,
	/* nothing more; a = communicator id where there is one, else 0 */
	SPOOL_CALL,
	/* a = handle; w3 = bytes:24 | offset:40; only for success with an offset (pread…) */
	SPOOL_IO,
	/*
	 * a = handle; w3 = result in bytes, -1 failed (int64); w4 = offset,
	 * -1 none (int64); non-blocking MPI-IO only: w3 = bytes asked for,
	 * w5 = request
	 */
	SPOOL_IO_LONG,
	/*
	 * a = handle; w3 = result in bytes (int64); no offset: the file position's; of a copy between
	 * descriptors w4 = handle that is written
	 */
	SPOOL_IO_PLAIN,
	/* a = enum spool_sync; w3 = object */
	SPOOL_SYNC,
	/*
	 * a = communicator; w3 = peer:32 | tag:32; w4 = bytes:32 | request:32 (0: blocking); of a
	 * probe the message that it found
	 */
	SPOOL_P2P,
	/* the same; w4 = bytes; w5 = request */
	SPOOL_P2P_LONG,
	/*
	 * a = communicator; w3 = destination:32 | tag:32; w4 = bytes sent;
	 * w5 = source:32 | tag:32; w6 = bytes received. Non-blocking only: w7 =
	 * request:32 | SPOOL_SENDRECV_UNKNOWN or 0:32; then w5 and w6 as posted
	 */
	SPOOL_SENDRECV,
	/* a = communicator; w3 = bytes sent = bytes received; no root; blocking */
	SPOOL_COLL,
	/*
	 * a = communicator; w3 = sent; w4 = received;
	 * w5 = root:32 | request:32 (0: blocking)
	 */
	SPOOL_COLL_FULL,
	/*
	 * wait and test family; a = number completed (0: unsuccessful test);
	 * per completed request two words: request:32 | bytes:32,
	 * source:32 | tag:32
	 */
	SPOOL_DONE,
	/* further completions of the enclosing call, which follows; laid out as SPOOL_DONE */
	SPOOL_DONE_MORE,
	/*
	 * a = window; w3 = target:32 | request:32; w4 = bytes. A call that returns data of the
	 * target (MPI_Fetch_and_op) has w4 = bytes sent, w5 = bytes returned. Start, post, complete
	 * and wait have no target: the ranks of the group follow, two in a word; the last half is
	 * UINT32_MAX when unused
	 */
	SPOOL_RMA,
	/* a marker or range begins: a = name id; region = enum spool_mark; w3 = value */
	SPOOL_BEGIN,
	/* … ends; w3 = value (samples of a step) */
	SPOOL_END,
	/*
	 * w1 = ticks; w3 = CLOCK_MONOTONIC ns; w4 = CLOCK_REALTIME ns; w5, at the begin of a chunk of
	 * a bounded spool: the chunk's number
	 */
	SPOOL_CLOCK,
	/* w1 = ticks; w3 = pthread_self(): wakes its pthread_join */
	SPOOL_THREAD_END,
	/*
	 * this thread's records were lost from w1 for w2's duration, as there was no room; how
	 * many is counted in the head
	 */
	SPOOL_GAP,
	/*
	 * as SPOOL_DONE, one word per completed request: request:32 | bytes:32;
	 * source and tag are those given when the request was posted (no
	 * wildcards, or not a receive)
	 */
	SPOOL_DONE_SHORT,
	/*
	 * a persistent request that the enclosing MPI_Start(all), which follows, has started; not a
	 * call: region = the MPI_…_init that made it. Laid out as SPOOL_P2P_LONG; of a collective
	 * as SPOOL_COLL_FULL with w6 = earlier starts of this request:32 | index of the collective
	 * among the communicator's persistent ones, in the order of their making, from 1:32
	 */
	SPOOL_STARTED,
	/*
	 * counters read at w1, in spools of kind SPOOL_KIND_SAMPLER; a = first DEF_METRIC id; w3… =
	 * values of the metrics from that id on, one each
	 */
	SPOOL_SAMPLE,
	/*
	 * CUDA call; a = correlation number, equal on the activities that it launched (0: none); w3
	 * = stream:32 | device:32; w4 = event identity or bytes, by the line in cuda_calls.def
	 */
	SPOOL_CUDA,
	/*
	 * NCCL call; a = DEF_NCCL_COMM id; w3 = bytes of the total buffer (S of
	 * bandwidth formulas); w4 = seq:32 | root or peer:32
	 * (SPOOL_NCCL_NO_PEER); w5 = group:32 | stream:32. seq counts the
	 * collectives of the communicator from 0; 0 for send and receive, which merge counts.
	 * group: equal for the calls of one outermost group, 0 = none. The group's
	 * end has it too, and a communicator only where the end launched for one.
	 */
	SPOOL_NCCL,
	/*
	 * how NCCL carries a collective out, reported by its profiler plugin before the launch; not
	 * a call: region is 0; a = DEF_NCCL_COMM id; w3 = seq:32 | enum trace_algorithm:8 | enum
	 * trace_protocol:8 | channels:8
	 */
	SPOOL_NCCL_PLAN,
	/*
	 * of CUDA graphs; not a call: region is 0; a = enum spool_graph. Only a node made in an
	 * NCCL call, or a copy of such a node, is written: from these merge knows which operation a
	 * kernel of a graph (w6 there) carries out. w3 = node, or the graph's handle of
	 * SPOOL_GRAPH_EXEC; w4 = the original of a copied node, else 0
	 */
	SPOOL_GRAPH,
	/*
	 * consecutive short calls of depth 0 that need no record each: w1 = start of the first,
	 * w2's duration = until the end of the last, region = the first call's. SPOOL_FOLD_WORDS
	 * words for each kind, in the order of their first calls: see fold.h. The record also grows
	 * by wakes that woke no thread, made between calls of I/O and CUDA, sleeps and marked
	 * regions after the record: until SPOOL_LATE_SPAN after its start, and by its sums until
	 * the next record's start, as long as only such calls follow it (brief_is_passed())
	 */
	SPOOL_FOLD,
	/*
	 * Device activities, in spools of kind SPOOL_KIND_GPU, which hold them
	 * in any order of time; region and depth are 0.
	 *
	 * a = DEF_KERNEL id; w3 = correlation:32 | stream:32; w4 = device:32 |
	 * context:32; w5 = blocks:32 | threads per block:16 | registers:16;
	 * w6 = graph node (0: none)
	 */
	SPOOL_KERNEL,
	/*
	 * copy or set; a = spool_copy_word(); w3, w4 as above; w5 = bytes;
	 * w6 = graph node; SPOOL_COPY_P2P: w7 = device at the other end
	 */
	SPOOL_COPY,
	/* a = enum spool_gpu_sync; w3, w4 as above; w5 = event number of CUPTI's */
	SPOOL_GPU_SYNC,
	/* CUPTI's own work in the process; a = its kind of overhead; w3 = thread */
	SPOOL_OVERHEAD,
	/* of threads: outermost calls that followed each other, see brief.h */
	SPOOL_BRIEF,
	/*
	 * of device activities: a launch, which merge puts among the calls of its thread; region is the
	 * call's; a = correlation number; w3 = number of the thread (gettid())
	 */
	SPOOL_LAUNCH,
	SPOOL_TYPE_COUNT
};

#define SPOOL_FOLD_KINDS 64u /* at most */
#define SPOOL_FOLD_WORDS 3u
/* Ticks, about a millisecond, by which the time of one of them may be wrong. */
#define SPOOL_FOLD_SPAN (1u << 21)
/*
 * The same for wakes without a woken thread that are added late, and for threads that carry others'
 * data.
 */
#define SPOOL_LATE_SPAN (1u << 23)

/* Whether a record of this type has only the bytes that the call moved or launched. */
static inline int spool_type_is_plain(unsigned type)
{
	return type == SPOOL_CALL || type == SPOOL_IO || type == SPOOL_IO_LONG ||
		type == SPOOL_IO_PLAIN || type == SPOOL_CUDA;
}

/*
 * Streams as numbers: CUPTI's stream id (of further contexts of a device made unique by the
 * writer).
 */
#define SPOOL_STREAM_NONE  UINT32_MAX /* no stream, or all of the device */
#define SPOOL_DEVICE_NONE  UINT32_MAX /* no device, or all of the process */
#define SPOOL_NCCL_NO_PEER UINT32_MAX

enum spool_graph {
	SPOOL_GRAPH_NODE = 1, /* a kernel was captured */
	SPOOL_GRAPH_CLONE,    /* graphs that can be launched have copies of the nodes */
	/* a graph that can be launched: its handle means this one from now on */
	SPOOL_GRAPH_EXEC,
};

enum spool_copy {
	SPOOL_COPY_OTHER,
	SPOOL_COPY_H2D,
	SPOOL_COPY_D2H,
	SPOOL_COPY_D2D,
	SPOOL_COPY_P2P,
	SPOOL_COPY_MEMSET,
	SPOOL_COPY_COUNT
};

enum spool_memory {
	SPOOL_MEMORY_UNKNOWN,
	SPOOL_MEMORY_PAGEABLE,
	SPOOL_MEMORY_PINNED,
	SPOOL_MEMORY_DEVICE,
	SPOOL_MEMORY_ARRAY,
	SPOOL_MEMORY_MANAGED,
	SPOOL_MEMORY_COUNT
};

#define SPOOL_COPY_ASYNC 1u /* flags */

enum spool_gpu_sync {
	SPOOL_GPU_SYNC_EVENT = 1,
	SPOOL_GPU_SYNC_STREAM_WAIT_EVENT,
	SPOOL_GPU_SYNC_STREAM,
	SPOOL_GPU_SYNC_CONTEXT,
};

/* `a` of a SPOOL_COPY: op, memory at the source and the destination, flags. */
static inline uint32_t spool_copy_word(enum spool_copy op, enum spool_memory source,
	enum spool_memory dest, unsigned flags)
{
	return (uint32_t)op | (uint32_t)source << 8 | (uint32_t)dest << 16 | (uint32_t)flags << 24;
}

/*
 * Peers are ranks of the communicator (of the remote group for an inter-communicator);
 * SPOOL_RANK_NULL is MPI_PROC_NULL. A receive record carries the actual source, tag and size. A
 * request number is 32 bits made of the MPI handle, reused at once, so matched by time: a
 * completion belongs to a start of that number before it. MPI libraries hand the same handle to
 * several operations that were complete when posted (eager sends); so several starts of one number
 * may be open, and any of them may be taken. Peer and tag of a non-blocking receive are as posted:
 * SPOOL_RANK_ANY and SPOOL_TAG_ANY are the wildcards; its bytes are the size of its buffer.
 *
 * In SPOOL_DONE bytes, source and tag have a meaning only for receives (and
 * bytes for MPI-IO); SPOOL_TAG_ANY: the tag is as posted. SPOOL_BYTES_UNKNOWN:
 * the operation was cancelled or failed; SPOOL_BYTES_HUGE: 4 GiB or more, take
 * the start's. MPI_Request_free of a request in flight is a SPOOL_DONE_SHORT
 * with SPOOL_BYTES_UNKNOWN: nothing will complete it.
 *
 * MPI_Isendrecv posts a send and a receive on one number. MPICH leaves old values in its status.
 * SPOOL_SENDRECV_UNKNOWN marks bytes, source and tag of the completion as invalid; merge uses the
 * posted ones.
 *
 * Persistent collectives are matched by the order in which they are made. Each rank may start them
 * in another order, so a start names its collective and counts its starts.
 *
 * Roots of collectives on an inter-communicator: the root itself has
 * SPOOL_ROOT_SELF, the others of its group SPOOL_ROOT_IDLE, the other group
 * the root's rank.
 *
 * Collective bytes: this rank's input and output by the arguments,
 * with count c, type size s and n members
 *   bcast              root c·s, 0; others 0, c·s
 *   reduce             c·s; root c·s, others 0
 *   allreduce, scan    c·s; c·s
 *   gather             own part; root n parts, others 0   (scatter: mirrored)
 *   allgather          own part; n parts
 *   alltoall           n parts; n parts (neighbourhood: out- and in-degree)
 *   reduce_scatter     all parts; own part
 * MPI_IN_PLACE takes the part from the receive arguments.
 */
#define SPOOL_RANK_NULL	       (-1)
#define SPOOL_RANK_ANY	       (-2)
#define SPOOL_TAG_ANY	       (-1)
#define SPOOL_BYTES_UNKNOWN    UINT32_MAX
#define SPOOL_BYTES_HUGE       (UINT32_MAX - 1)
#define SPOOL_SENDRECV_UNKNOWN 1u
#define SPOOL_ROOT_NONE	       (-1)
#define SPOOL_ROOT_SELF	       (-2)
#define SPOOL_ROOT_IDLE	       (-3)

enum spool_sync {
	SPOOL_SYNC_WAIT = 1, /* the call waited on the object and got it */
	SPOOL_SYNC_WAKE = 2, /* the call may have woken a waiter on the object */
	SPOOL_SYNC_MISS = 3, /* waited, but timed out, was interrupted or failed */
	SPOOL_SYNC_HANGUP =
		4, /* waited until the other end was closed, for example by a process's end */
};

enum spool_mark { SPOOL_MARK_REGION = 1, SPOOL_MARK_PHASE, SPOOL_MARK_STEP };

/* tacho_mark_begin() with a value of tacho_metric(), written as a definition, not a record */
#define SPOOL_MARK_METRIC 4

/*
 * In the value of a step that begins: libtacho began it, at the end of the one before. One that
 * never ends is none, since what came then was no training any more.
 */
#define SPOOL_STEP_FOUND ((uint64_t)1 << 63)

static inline uint64_t spool_word0(unsigned type, unsigned depth, unsigned region, uint32_t a)
{
	return (uint64_t)type | (uint64_t)(depth & 0xff) << 8 | (uint64_t)region << 16 |
		(uint64_t)a << 32;
}

static inline unsigned spool_type(uint64_t w0)
{
	return w0 & 0xff;
}
static inline unsigned spool_depth(uint64_t w0)
{
	return w0 >> 8 & 0xff;
}
static inline unsigned spool_region(uint64_t w0)
{
	return w0 >> 16 & 0xffff;
}
static inline uint32_t spool_a(uint64_t w0)
{
	return w0 >> 32;
}
static inline uint64_t spool_duration(uint64_t w2)
{
	return w2 & 0xffffffffffffull;
}
static inline unsigned spool_words(uint64_t w2)
{
	return w2 >> 48;
}

static inline uint64_t spool_word2(uint64_t duration, unsigned words)
{
	return (duration > 0xffffffffffffull ? 0xffffffffffffull : duration) |
		(uint64_t)words << 48;
}

static inline uint64_t spool_pair(uint32_t low, uint32_t high)
{
	return (uint64_t)low | (uint64_t)high << 32;
}

/*
 * The file `process`: definitions, each a struct spool_def and its body,
 * padded with zeroes to 8 bytes; `size` counts all of it. A size of 0 ends them: the rest of the file
 * is reserved and zero. A writer takes its place by storing size and DEF_PAD, and stores the type last.
 * Readers stop at the first definition that is truncated. Texts are not NUL-terminated: they fill
 * the body up to `text` bytes.
 */
struct spool_def {
	uint32_t size; /* bytes, header and padding included */
	uint16_t type; /* enum spool_def_type */
	uint16_t reserved;
	uint32_t id;   /* what records refer to; numbered per type from 1 */
	uint32_t text; /* bytes of text at the end of the body */
};

enum spool_def_type {
	/* struct spool_def_process; text: name of the folder of the parent, or "" */
	DEF_PROCESS = 1,
	/* text: key, NUL, value: node.*, process.*; see env.c for the list */
	DEF_PROPERTY,
	DEF_NAME,   /* text: name of a marker region */
	DEF_HANDLE, /* struct spool_def_handle; text: path */
	/* struct spool_def_comm, then its runs; text: name */
	DEF_COMM,
	DEF_COMM_NAME, /* id: communicator; text: name */
	DEF_COMM_FREE, /* id: communicator; no text; body: ticks (uint64_t) */
	DEF_WINDOW,    /* body: communicator id (uint64_t) */
	DEF_CLOCK,     /* struct spool_def_clock */
	DEF_END,       /* struct spool_def_end */
	/* struct spool_def_metric; text: name, NUL, unit, NUL, description */
	DEF_METRIC,
	DEF_CAPTURE,	  /* struct spool_def_capture: the capture window opens or closes */
	DEF_DEVICE,	  /* struct spool_def_device; text: name */
	DEF_STREAM,	  /* struct spool_def_stream; no text */
	DEF_KERNEL,	  /* text: name as the compiler mangled it */
	DEF_NCCL_COMM,	  /* struct spool_def_nccl_comm; text: name, or "" */
	DEF_PYTHON_CODE,  /* struct spool_def_python_code; text: function, NUL, file */
	DEF_PYTHON_STACK, /* struct spool_def_python_stack; no text */
	/*
	 * id: a socket's handle, defined before; text: "tcp LOCAL REMOTE", the addresses of both ends
	 * as ADDRESS:PORT (udp likewise), or "unix PID", the process at the other end
	 */
	DEF_SOCKET,
	/* struct spool_def_handle_like: another handle (its id is one of those); text: the path's rest */
	DEF_HANDLE_LIKE,
	DEF_PAD,       /* nothing: a place that was not written, or the rest of a chunk */
	DEF_CHILD_END, /* struct spool_def_child_end: a wait found a child killed; no text */
	DEF_SAMPLE, /* struct spool_def_sample: launches of kernels are recorded, or not any more */
	DEF_VALUE,  /* struct spool_def_value; text: name that tacho_metric() was given */
	DEF_TYPE_COUNT
};

/*
 * A counter or gauge. A file or folder of files that is read at once is a set: `set` metrics with
 * consecutive ids from `first` on, all defined before the SPOOL_SAMPLE with their values. When a
 * set's members change (a device appears) the whole set is defined anew with new ids; equal names
 * are the same counter.
 */
enum spool_metric_mode { METRIC_ACCUMULATED = 1, METRIC_GAUGE = 2 };
enum spool_metric_scope { METRIC_OF_NODE = 1, METRIC_OF_PROCESS = 2 };

struct spool_def_metric {
	uint32_t mode;	     /* enum spool_metric_mode */
	uint32_t scope;	     /* enum spool_metric_scope */
	uint32_t first, set; /* id of the set's first metric; number of metrics in it */
};

struct spool_def_clock {
	uint64_t ticks, monotonic_ns, realtime_ns;
};

/*
 * Calls that begin while the window is closed are not recorded; markers and
 * MPI's start and end are. A process without any is recorded all the time, a
 * forked child without any as its parent is.
 */
struct spool_def_capture {
	uint64_t ticks;
	uint32_t is_open, reserved;
};

/*
 * Where the cost of launches is limited they are recorded in a sample of steps: from one of these with
 * is_on to the next one. It begins with the run. The end has the correlation numbers of the first and
 * the last launch between; SAMPLE_BOUNDARY: the last one is the first of the step behind.
 * SAMPLE_CHOSEN, of a begin: not by chance, since the step before was slow. SAMPLE_AWAY, of an end: another
 * profiler has CUPTI up to the next begin; what was launched is recorded up to that time. `launches`: before,
 * recorded or not; SAMPLE_STEPS: steps, since not all launches are seen.
 */
#define SAMPLE_BOUNDARY 1u
#define SAMPLE_CHOSEN	2u
#define SAMPLE_AWAY	4u
#define SAMPLE_STEPS	8u

struct spool_def_sample {
	uint64_t ticks;
	uint32_t is_on, flags;
	uint32_t first, last; /* 0: there was none */
	uint64_t launches;
};

/* A GPU that the process may use, with its number there (CUDA's ordinal). */
enum spool_device_kind { DEVICE_GPU = 1, DEVICE_STAND_IN };

struct spool_def_device {
	uint32_t ordinal;
	uint32_t kind;				  /* enum spool_device_kind */
	uint8_t uuid[16];			  /* zeroes: unknown */
	uint32_t pci_domain, pci_bus, pci_device; /* all ones: unknown */
	uint32_t sms;				  /* streaming multiprocessors */
	uint64_t memory;			  /* bytes */
	uint32_t major, minor;			  /* compute capability */
};

#define STREAM_DEFAULT	    1u /* the legacy default stream */
#define STREAM_NON_BLOCKING 2u /* not ordered against the legacy default stream */
#define STREAM_PER_THREAD   4u /* a thread's default stream */

struct spool_def_stream {
	uint32_t device, context; /* ordinal; CUPTI's context id */
	uint32_t stream;	  /* its number in records */
	uint32_t flags;		  /* STREAM_… */
	int32_t priority;
	uint32_t reserved;
};

/*
 * A process's membership in an NCCL communicator (one per device that it drives). Exactly its
 * members have this hash: of the unique id, or for splits of (parent's hash, split count, colour).
 */
struct spool_def_nccl_comm {
	uint64_t hash, parent; /* parent: 0 = none */
	uint32_t rank, size;
	uint32_t device; /* ordinal; SPOOL_DEVICE_NONE: unknown */
	/* how many splits the parent had before; 0 without parent */
	uint32_t split;
	int32_t colour;
	uint32_t reserved;
};

struct spool_def_process {
	uint32_t version, nregions; /* as in struct spool_head */
	uint32_t clock;		    /* enum spool_clock */
	uint32_t pid, ppid;
	int32_t rank, size; /* launcher's, -1 = unknown */
	int32_t local_rank, local_size;
	/* of the rank's process (data-loader worker…): forked or executed by it */
	uint32_t is_child;
	struct spool_def_clock start;
	uint64_t forked; /* ticks of its fork; 0: not forked, or unknown */
};

enum spool_handle_kind {
	HANDLE_FILE = 1,
	HANDLE_DIR,
	HANDLE_PIPE,
	HANDLE_SOCKET,
	HANDLE_DEVICE,
	HANDLE_OTHER,
	HANDLE_MPI_FILE,
	/* a read ended by a thread, a timer, the kernel or a person: eventfd, terminal… */
	HANDLE_EVENT,
};

struct spool_def_handle {
	uint32_t kind; /* enum spool_handle_kind */
	uint32_t comm; /* HANDLE_MPI_FILE: communicator that opened it */
	uint64_t dev, ino;
	uint64_t flags; /* of open(2) */
	/*
	 * of a pair of sockets: inode of the other; of HANDLE_EVENT: the object that a write hands
	 * over to a read; 0: unknown, or no process can write
	 */
	uint64_t peer;
};

/*
 * As the handle `like`, defined before, except for the inode and the path after its first `same`
 * bytes.
 */
struct spool_def_handle_like {
	uint64_t ino;
	uint32_t like, same;
};

#define HANDLE_SAME_MOST 255u		 /* bytes */
#define HANDLE_OTHERS	 "(other files)" /* path of the handle of all files without one */

#define COMM_BY_GROUP 0x80000000u

/*
 * COMM_PARENT: the inter-communicator to the processes that spawned this process's MPI_COMM_WORLD.
 * COMM_GROUP: each member knows only its own rank; the others' are UINT32_MAX. Its members have the
 * same size and `creation`.
 */
enum spool_comm_kind { COMM_WORLD = 1, COMM_SELF, COMM_INTRA, COMM_INTER, COMM_PARENT, COMM_GROUP };

struct spool_def_comm {
	uint32_t kind;	 /* enum spool_comm_kind */
	uint32_t parent; /* communicator id it was made from, 0 = none */
	int32_t rank;	 /* own rank in it */
	/*
	 * members; members of the remote group (inter). Their ranks in MPI_COMM_WORLD follow as
	 * `nruns` of struct spool_run, UINT32_MAX for ranks of another world
	 */
	uint32_t size, nremote, nruns;
	/*
	 * Counts the creations on `parent` by this process, all collective
	 * ones alike, so that it is equal on all members. With COMM_BY_GROUP
	 * (MPI_Comm_create_group, MPI_Intercomm_create: not collective on one
	 * parent) it counts those with the same members and tag: compare kind,
	 * members and creation, not the parent.
	 */
	uint32_t creation;
};

/*
 * END_EXEC is never written: struct spool_state records that exec replaced the program.
 * END_DETACHED: attach/ ended its recording; the process may still run.
 */
enum spool_end_how { END_EXIT = 1, END_QUICK_EXIT, END_EXEC, END_RETURN, END_DETACHED };

struct spool_def_end {
	uint32_t how; /* enum spool_end_how */
	int32_t status;
	uint64_t ticks;
};

struct spool_def_child_end {
	uint64_t ticks;
	uint32_t pid;
	int32_t signal;
	uint64_t shm_bytes, shm_used; /* of /dev/shm just then; 0: not known */
};

#define SPOOL_VALUES_WHOLE  2048u /* values of a name that are all kept */
#define SPOOL_VALUE_NO_STEP UINT64_MAX

/*
 * A value that the program gave by tacho_metric(). For each name, the first SPOOL_VALUES_WHOLE
 * values are kept, of the next as many every second, then every fourth…: all ranks keep the same.
 */
struct spool_def_value {
	uint64_t ticks;
	uint64_t step; /* the one that the process has begun last; SPOOL_VALUE_NO_STEP: none */
	double value;
	uint32_t nth; /* of this name, from 0 */
	uint32_t reserved;
};

/* A function of Python's. */
struct spool_def_python_code {
	uint32_t first_line, reserved;
};

/* A node in the tree of calls: a line of a function and its caller. Defined before its children. */
struct spool_def_python_stack {
	uint32_t parent; /* 0: it is the outermost */
	uint32_t code;	 /* DEF_PYTHON_CODE */
	uint32_t line;	 /* 0: not known */
	uint32_t reserved;
};

#define SPOOL_PYTHON_LAST  256u /* threads of which it is kept where they were seen last */
#define SPOOL_PYTHON_MAGIC "TACHOPYT"
/* The file of names of modules, which are functions here. */
#define SPOOL_PYTHON_MODULE    "<nn.Module>"
#define SPOOL_PYTHON_OTHERS    0u	  /* as a stack: there was no room for more of them */
#define SPOOL_PYTHON_UNREAD    UINT32_MAX /* as a stack: it changed while it was read */
#define SPOOL_PYTHON_NO_THREAD UINT32_MAX /* a thread without a spool */

/* The file `python`: how long threads were seen where. It ends with the first entry without samples. */
struct spool_python {
	char magic[8]; /* SPOOL_PYTHON_MAGIC, written last */
	uint32_t version;
	uint32_t period_us;	  /* between looks at the threads, as it was asked for */
	_Atomic uint64_t cost_ns; /* on a core, so far */
	uint64_t reserved;
	/* [number of a thread's spool]: DEF_PYTHON_STACK where it was seen last, 0: not yet */
	_Atomic uint32_t last[SPOOL_PYTHON_LAST];
};

struct spool_python_key {
	uint32_t thread; /* number of its spool */
	uint32_t stack;	 /* DEF_PYTHON_STACK */
	uint32_t phase;	 /* DEF_NAME, 0: none */
	uint32_t region; /* outermost call that the thread was in (enum region), 0: none */
};

struct spool_python_entry {
	struct spool_python_key key;
	_Atomic uint64_t ns; /* each sample counts the time since the one before */
	_Atomic uint64_t samples;
};

#endif
