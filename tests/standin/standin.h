/*
 * What the parts of the stand-ins share. libcuda.so.1 holds all state (devices,
 * streams, memory, graphs, kernels) and exports the standin_* functions below;
 * libcudart, libcupti and libcublas are made of them. Times are nanoseconds.
 */
#ifndef STANDIN_H
#define STANDIN_H

#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STANDIN_EXPORT __attribute__((visibility("default")))

enum { STANDIN_DEVICES_MAX = 16, STANDIN_LEGACY_ID = 7, STANDIN_FIRST_STREAM_ID = 13 };

/* ---- configuration: environment, read once ---- */

struct standin_config {
	int boards;	    /* of the node: what NVML sees */
	int devices;	    /* that CUDA may use */
	uint64_t kernel_ns; /* duration of a kernel without host function */
	bool kernel_ns_set; /* then also the least duration of one with */
	uint64_t launch_ns; /* host time added to each launch */
	double copy_gbs;    /* 0: as fast as memcpy */
	double pageable_gbs;
	uint64_t memory; /* bytes per device */
};

const struct standin_config *standin_config(void);

/*
 * Is NAME in STANDIN_FAULT ("a,b=3")? Returns 0 if not, else its number, 1 when
 * none is given.
 */
unsigned standin_fault(const char *name);

/*
 * Number I of the list "a,b,…" in environment variable NAME, the last one if it is
 * shorter; OTHERWISE without a list.
 */
double standin_setting(const char *name, int i, double otherwise);

/* ---- devices and contexts ---- */

#define STANDIN_INSTANCES 7 /* of a GPU at most: nvmlDeviceGetMaxMigDeviceCount */

struct standin_device {
	int board;
	int instance; /* its index on the board; -1: the whole board */
	int ordinal;  /* CUDA's number; -1: not visible */
	CUuuid uuid;
	char name[64];
	char pci[16];
	double slowness;    /* the kernels of a throttled device take so many times as long */
	atomic_size_t used; /* bytes allocated */
	CUcontext primary;
};

struct CUctx_st {
	uint32_t id;
	struct standin_device *device;
	struct CUstream_st *legacy;
	struct CUstream_st *streams; /* all, through ->next; under the core's lock */
	uint32_t next_stream_id;
};

/* Starts the driver once: reads the configuration, loads CUDA_INJECTION64_PATH. */
CUresult standin_init(void);
/* Whether a thread is in there at this moment; whether that is over, or the calling one is. */
bool standin_is_initialising(void);
bool standin_is_initialised(void);
/* The same, and the thread's context: the primary one of device 0 if none was set. */
CUresult standin_context(CUcontext *ctx);
void standin_context_set(CUcontext ctx);
CUcontext standin_context_peek(void);
struct standin_device *standin_device(int ordinal);
struct standin_device *standin_board(int board);
/* Into how many instances a board is shared out, 0: not; and one by its index, which has gaps. */
int standin_instances(int board);
struct standin_device *standin_instance(int board, int index);
/* "GPU-…", of an instance "MIG-…". */
void standin_uuid_text(const struct standin_device *device, char text[48]);
CUcontext standin_primary(struct standin_device *device);
/* Device attributes, shared by driver and runtime. -1: unknown attribute. */
int standin_attribute(const struct standin_device *device, CUdevice_attribute attribute);

/* ---- calls: what CUPTI's API callbacks see ---- */

struct standin_call {
	unsigned domain; /* CUpti_CallbackDomain */
	unsigned cbid;
	const char *name;
	const void *params;
	const char *symbol; /* kernel name of a launch */
	void *ret;
	uint32_t correlation; /* the outermost call's number */
	uint64_t data[4];     /* CUpti_CallbackData.correlationData, by subscriber */
	uint64_t start;
	struct standin_call *outer;
};

void standin_call_enter(struct standin_call *call, void *ret);
void standin_call_leave(struct standin_call *call);
uint32_t standin_correlation(void); /* of the thread's outermost call, 0: none */
/* Stream 0 means the thread's own stream in calls compiled for it (…_ptsz, …_ptds). */
void standin_per_thread(int add);

/* ---- activities: what CUPTI's records are written from ---- */

enum standin_act_kind {
	STANDIN_ACT_NONE,
	STANDIN_ACT_KERNEL,
	STANDIN_ACT_MEMCPY,
	STANDIN_ACT_MEMCPY2, /* between devices */
	STANDIN_ACT_MEMSET,
	STANDIN_ACT_SYNC,
	STANDIN_ACT_EVENT,
	STANDIN_ACT_GRAPH,
};

struct standin_act {
	enum standin_act_kind kind;
	uint64_t start, end; /* by the device's clock; of waits by CUPTI's */
	uint32_t device, context, stream, correlation;
	uint64_t graph_node;
	uint32_t graph;
	const char *name; /* kernel; lives as long as the process */
	uint32_t grid[3], block[3];
	uint32_t shared, registers;
	uint64_t grid_number; /* of a kernel: of its launch; of a graph's node the same in each */
	uint64_t bytes;
	uint32_t value;				      /* memset */
	uint8_t copy_kind, src_kind, dst_kind, flags; /* numbers of CUPTI */
	uint32_t src_device, src_context, dst_device, dst_context;
	uint32_t sync_type, event;
	void *slot; /* libcupti's: where its record is to be, reserved by the launch */
};

/* Numbers of CUpti_ActivityMemcpyKind, …MemoryKind, …SynchronizationType. */
enum { STANDIN_H2D = 1, STANDIN_D2H = 2, STANDIN_D2D = 8, STANDIN_H2H = 9, STANDIN_P2P = 10 };
enum { STANDIN_PAGEABLE = 1, STANDIN_PINNED = 2, STANDIN_DEVICE = 3, STANDIN_MANAGED = 5 };
enum {
	STANDIN_SYNC_EVENT = 1,
	STANDIN_SYNC_WAIT = 2,
	STANDIN_SYNC_STREAM = 3,
	STANDIN_SYNC_CONTEXT = 4
};

enum standin_resource {
	STANDIN_CONTEXT_CREATED,
	STANDIN_STREAM_CREATED,
	STANDIN_STREAM_DESTROYED,
	STANDIN_GRAPH_CREATED,
	STANDIN_GRAPHNODE_CREATED,
	STANDIN_GRAPHNODE_CLONED,
	STANDIN_GRAPHEXEC_CREATED,
	STANDIN_STREAM_OF_GRAPH, /* has a record, but no callback */
};

/* What libcupti puts in while a subscriber or an activity kind is on. */
struct standin_hooks {
	void (*enter)(struct standin_call *call);
	void (*leave)(struct standin_call *call);
	void (*activity)(const struct standin_act *act);
	/* by the launching thread; NULL: none is reserved */
	void *(*reserve)(const struct standin_act *act);
	void (*resource)(enum standin_resource what, CUcontext ctx, void *object, void *from);
	uint64_t (*now)(void);
};

void standin_hooks_set(const struct standin_hooks *hooks);
const struct standin_hooks *standin_hooks(void);
uint64_t standin_now(void);	  /* CUPTI's clock */
uint64_t standin_monotonic(void); /* CLOCK_MONOTONIC */
void standin_wait_until(uint64_t monotonic_ns);
void standin_resource(enum standin_resource what, CUcontext ctx, void *object, void *from);

/* ---- streams and what runs on them ---- */

/* One operation: the first member of structs that carry more. */
struct standin_op {
	void (*run)(struct standin_op *op); /* on the stream's thread; NULL: nothing to do */
	void (*drop)(struct standin_op *op);
	CUgraphNodeType node_type;
	uint64_t least_ns; /* the operation takes at least so long */
	struct standin_act act;
};

struct CUstream_st {
	struct CUstream_st *next;
	CUcontext ctx;
	uint32_t id;
	unsigned flags; /* CU_STREAM_NON_BLOCKING */
	int priority;
	bool started, reported;
	atomic_bool destroyed;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t more, progress;
	struct standin_task *head, *tail;
	_Atomic uint64_t
		queued; /* number of the last task put in; written under the core's lock too */
	_Atomic uint64_t done;
	struct standin_capture *capture;
};

struct CUevent_st {
	pthread_mutex_t lock;
	unsigned flags, id;
	atomic_int users; /* owner and pending records */
	CUstream stream;  /* of the last record, NULL: never recorded */
	uint64_t seq;
	uint64_t time_ns;		 /* CLOCK_MONOTONIC of the last record that ran */
	struct standin_session *session; /* the capture that it was last recorded in, or NULL */
	CUgraphNode *nodes;		 /* of that capture */
	unsigned nnodes;
};

/* The stream that a handle means in this thread: 0, legacy and per-thread ones too. */
CUresult standin_stream(CUstream handle, CUstream *stream);
CUresult standin_stream_create(CUcontext ctx, unsigned flags, int priority, CUstream *stream);
/* A stream of which CUPTI learns nothing: the default stream's, and those within a graph. NULL: no
 * memory. */
CUstream standin_stream_make(CUcontext ctx, unsigned flags, int priority);
void standin_stream_destroy(CUstream stream);
/*
 * Puts OP, which the stream then owns, at the end of the stream, or into the graph
 * that it is captured into. SEQ (may be NULL) gets its number. OP may be NULL: then
 * only AFTER (may be NULL) is waited for.
 */
CUresult standin_submit(CUstream stream, struct standin_op *op, CUevent after, uint64_t *seq);

/* A task of a stream: others wait for it. */
struct standin_place {
	CUstream stream;
	uint64_t seq;
};

/* An operation that stays its owner's: of a node of a graph, or (EXEC NULL) the task's. */
struct standin_node {
	struct standin_op *op; /* NULL: only the waiting */
	CUgraphExec exec;
	uint64_t id;
};

/* Puts NODE at the end of PLACE->stream, to run after COUNT other tasks; returns its number. */
CUresult standin_submit_node(struct standin_place *place, const struct standin_node *node,
	const struct standin_place *after, size_t count);
void standin_wait(CUstream stream, uint64_t seq);
CUresult standin_stream_sync(CUstream stream);
CUresult standin_context_sync(CUcontext ctx);
bool standin_stream_idle(CUstream stream);
/* How long all kernels have taken until now, recorded or not. */
uint64_t standin_kernels_ns(void);
/* A zeroed operation of SIZE bytes that begins with struct standin_op. NULL: no memory. */
void *standin_op_make(size_t size, void (*run)(struct standin_op *op));
void standin_op_drop(struct standin_op *op);

/* CUPTI's record of a wait of the calling thread that began at START and has just ended. */
void standin_sync_record(CUcontext ctx, uint32_t stream, uint32_t type, uint32_t event,
	uint64_t start);

/* The place of the last record of EVENT; stream NULL: none. */
struct standin_place standin_event_place(CUevent event);
CUresult standin_event_create(unsigned flags, CUevent *event);
void standin_event_unref(CUevent event);
CUresult standin_event_record(CUevent event, CUstream stream);
CUresult standin_event_wait(CUstream stream, CUevent event); /* cuStreamWaitEvent */
CUresult standin_event_sync(CUevent event);
bool standin_event_done(CUevent event);

/* ---- memory ---- */

struct standin_memory {
	int kind;   /* STANDIN_PAGEABLE… */
	int device; /* of device and managed memory, else -1 */
	char *start;
	size_t bytes;
};

CUresult standin_alloc(size_t bytes, int kind, void **ptr);
CUresult standin_free(void *ptr);
CUresult standin_register(void *ptr, size_t bytes); /* pins host memory */
CUresult standin_unregister(void *ptr);
struct standin_memory standin_memory_of(const void *ptr);

struct standin_copy {
	void *dst;
	const void *src;
	size_t width, height, dpitch, spitch;
	int kind;		    /* STANDIN_H2D…, 0: by the pointers */
	int dst_device, src_device; /* -1: by the pointers */
	bool async;
};

CUresult standin_copy(const struct standin_copy *copy, CUstream stream);
CUresult standin_set(void *ptr, uint32_t value, unsigned element, size_t width, size_t height,
	size_t pitch, CUstream stream, bool async);

/* ---- kernels ---- */

struct CUfunc_st {
	struct CUfunc_st *next;
	const char *name;
	const void *stub; /* the host's address of it */
	void (*host)(void **args, const unsigned grid[3], const unsigned block[3]);
	bool looked_up;
	bool unknown; /* its parameters are */
	unsigned nparams;
	size_t *sizes;
	unsigned registers, threads_max;
	size_t shared_max;
};

struct standin_launch {
	unsigned grid[3], block[3];
	size_t shared;
};

CUfunction standin_function_add(const void *stub, const char *name, const void *fatbin);
CUfunction standin_function(const void *stub_or_handle);
/* Parameter sizes of kernel NAME from a registered fat binary. Returns -1 if unknown. */
int standin_fatbin_params(const void *wrapper, const char *name, size_t **sizes, unsigned *count);
CUresult standin_launch(CUfunction f, const struct standin_launch *shape, void **args,
	CUstream stream);

/* ---- graphs ---- */

CUresult standin_capture_begin(CUstream stream);
CUresult standin_capture_end(CUstream stream, CUgraph *graph);
uint64_t standin_capture_id(CUstream stream, CUgraph *graph, CUgraphNode **nodes, size_t *count);
/* For standin_submit: is the stream captured, or joins by that event? Then op is a node. */
CUresult standin_capture_add(CUstream stream, struct standin_op *op, CUevent after);
bool standin_capture_wants(CUstream stream, CUevent after);
void standin_capture_event(CUevent event, CUstream stream);
CUgraph standin_graph_create(void);
CUgraphNode standin_graph_add(CUgraph graph, struct standin_op *op, const CUgraphNode *after,
	size_t count);
void standin_graph_destroy(CUgraph graph);
CUresult standin_graph_instantiate(CUgraph graph, CUgraphExec *exec);
void standin_graph_exec_unref(CUgraphExec exec);
CUresult standin_graph_launch(CUgraphExec exec, CUstream stream);
void standin_graph_exec_ref(CUgraphExec exec);
size_t standin_graph_nodes(CUgraph graph, CUgraphNode *nodes, size_t max);
CUgraphNodeType standin_node_type(CUgraphNode node);
uint64_t standin_node_id(CUgraphNode node);
uint32_t standin_graph_id(CUgraph graph);
uint32_t standin_graph_exec_id(CUgraphExec exec);

#endif
