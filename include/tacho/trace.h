/*
 * trace.h - names that merge, analyze and the tests share for contents of an archive beyond plain
 * OTF2: attributes, properties, operations, states. Each name is defined here only.
 */
#ifndef TACHO_TRACE_H
#define TACHO_TRACE_H

/* Attributes on events. ATTRIBUTE(enumerator, name, OTF2_TYPE_ suffix, meaning) */
#define TRACE_ATTRIBUTES(ATTRIBUTE)                                                                \
	ATTRIBUTE(CORRELATION, "tacho.correlation", UINT64,                                        \
		"equal values belong together in a process")                                       \
	ATTRIBUTE(DEVICE, "tacho.device", UINT64, "device number in the process")                  \
	ATTRIBUTE(STREAM, "tacho.stream", UINT64, "stream number on the device")                   \
	ATTRIBUTE(EVENT, "tacho.event", UINT64, "CUDA event identity")                             \
	ATTRIBUTE(COMM, "tacho.comm", UINT64,                                                      \
		"NCCL communicator, equal on all ranks; of a probe, MPI's by its reference")       \
	ATTRIBUTE(SEQ, "tacho.seq", UINT64,                                                        \
		"position among the communicator's operations; persistent: which, start")          \
	ATTRIBUTE(GROUP, "tacho.group", UINT64, "NCCL group of the process")                       \
	ATTRIBUTE(OP, "tacho.op", STRING, "operation")                                             \
	ATTRIBUTE(BYTES, "tacho.bytes", UINT64, "total buffer in bytes")                           \
	ATTRIBUTE(ROOT, "tacho.root", UINT64, "root's rank in the communicator")                   \
	ATTRIBUTE(PEER, "tacho.peer", UINT64, "peer's rank in the communicator")                   \
	ATTRIBUTE(TAG, "tacho.tag", UINT64, "tag of the message that a probe found")               \
	ATTRIBUTE(ALGORITHM, "tacho.algorithm", STRING, "NCCL's algorithm: ring, tree…")           \
	ATTRIBUTE(PROTOCOL, "tacho.protocol", STRING, "NCCL's protocol: ll, ll128, simple")        \
	ATTRIBUTE(CHANNELS, "tacho.channels", UINT64, "NCCL's channels of the operation")          \
	ATTRIBUTE(SYNC, "tacho.sync", UINT64, "object waited on or woken")                         \
	ATTRIBUTE(WAKE, "tacho.wake", UINT64,                                                      \
		"1: the call wakes waiters on tacho.sync; 0: it waits")                            \
	ATTRIBUTE(PARTNER, "tacho.partner", UINT64, "location at the other end of the socket")     \
	ATTRIBUTE(MESSAGE, "tacho.message", UINT64,                                                \
		"equal of a write and of the wait at the other end that it ended")                 \
	ATTRIBUTE(CALLS, "tacho.calls", UINT64,                                                    \
		"so many short calls, one after the other: the time is the sum of theirs")         \
	ATTRIBUTE(SHORTEST, "tacho.shortest", UINT64, "of those, in ns")                           \
	ATTRIBUTE(LONGEST, "tacho.longest", UINT64, "of those, in ns")                             \
	ATTRIBUTE(TOTAL, "tacho.total", UINT64,                                                    \
		"duration of the call, or of this number of calls, in ns, not in detail")          \
	ATTRIBUTE(OUTER, "tacho.outer", UINT64,                                                    \
		"the part of it that is not in detail and in no other call, in ns")                \
	ATTRIBUTE(SENT, "tacho.sent", UINT64, "bytes sent or written by calls not in detail")      \
	ATTRIBUTE(RECEIVED, "tacho.received", UINT64,                                              \
		"bytes received or read by calls not in detail")                                   \
	ATTRIBUTE(STEP, "tacho.step", UINT64, "number of the step")                                \
	ATTRIBUTE(SAMPLES, "tacho.samples", UINT64, "samples processed in the step")               \
	/* in the order of enum totals_part */                                                     \
	ATTRIBUTE(STEP_IO, "tacho.step_io", UINT64,                                                \
		"ns of the step in outermost calls that are not in detail: I/O")                   \
	ATTRIBUTE(STEP_MPI, "tacho.step_mpi", UINT64, "the same: MPI")                             \
	ATTRIBUTE(STEP_GLOO, "tacho.step_gloo", UINT64, "the same: gloo")                          \
	ATTRIBUTE(STEP_CUDA, "tacho.step_cuda", UINT64, "the same: CUDA and NCCL")                 \
	ATTRIBUTE(STEP_WAIT, "tacho.step_wait", UINT64, "the same: waits, without sleep")          \
	ATTRIBUTE(STEP_SLEEP, "tacho.step_sleep", UINT64, "the same: sleep")                       \
	ATTRIBUTE(MEMORY, "tacho.memory", STRING,                                                  \
		"the host's memory in a copy: pageable, pinned…")                                  \
	ATTRIBUTE(OFFSET, "tacho.offset", UINT64, "file offset in bytes of an I/O operation")      \
	ATTRIBUTE(NEIGHBOURS, "tacho.neighbours", UINT64,                                          \
		"1: only neighbours in the communicator's topology wait for each other")           \
	ATTRIBUTE(CUT, "tacho.cut", UINT64, "1: the call had not returned when its process ended") \
	ATTRIBUTE(LOST, "tacho.lost", UINT64,                                                      \
		"1: nothing is measured from here on as events were lost; 2: as they were summed")

/* Values of tacho.lost. */
enum trace_lost { TRACE_LOST = 1, TRACE_LOST_SUMMED };

enum trace_attribute {
#define ATTRIBUTE(id, name, type, text) ATTRIBUTE_##id,
	TRACE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
		ATTRIBUTE_COUNT
};

/* Operations: values of tacho.op. */
#define TRACE_OPS(OP)                                                                              \
	OP(ALLREDUCE, "allreduce")                                                                 \
	OP(BROADCAST, "broadcast")                                                                 \
	OP(REDUCE, "reduce")                                                                       \
	OP(ALLGATHER, "allgather")                                                                 \
	OP(REDUCESCATTER, "reducescatter")                                                         \
	OP(ALLTOALL, "alltoall")                                                                   \
	OP(GATHER, "gather")                                                                       \
	OP(SCATTER, "scatter")                                                                     \
	OP(SEND, "send")                                                                           \
	OP(RECV, "recv")                                                                           \
	OP(MEMCPY_H2D, "memcpy_h2d")                                                               \
	OP(MEMCPY_D2H, "memcpy_d2h")                                                               \
	OP(MEMCPY_D2D, "memcpy_d2d")                                                               \
	OP(MEMCPY_P2P, "memcpy_p2p")                                                               \
	OP(MEMSET, "memset")

/* How NCCL carries an operation out: values of tacho.algorithm and tacho.protocol. */
#define TRACE_ALGORITHMS(NAME)                                                                     \
	NAME(TREE, "tree")                                                                         \
	NAME(RING, "ring")                                                                         \
	NAME(COLLNET_DIRECT, "collnet_direct")                                                     \
	NAME(COLLNET_CHAIN, "collnet_chain")                                                       \
	NAME(NVLS, "nvls")                                                                         \
	NAME(NVLS_TREE, "nvls_tree")                                                               \
	NAME(PAT, "pat")                                                                           \
	NAME(COPY_ENGINE, "copy_engine")

#define TRACE_PROTOCOLS(NAME)                                                                      \
	NAME(LL, "ll")                                                                             \
	NAME(LL128, "ll128")                                                                       \
	NAME(SIMPLE, "simple")

enum trace_op {
	TRACE_OP_NONE,
#define OP(id, name) TRACE_OP_##id,
	TRACE_OPS(OP)
#undef OP
		TRACE_OP_COUNT
};

enum trace_algorithm {
	TRACE_ALGORITHM_NONE,
#define NAME(id, name) TRACE_ALGORITHM_##id,
	TRACE_ALGORITHMS(NAME)
#undef NAME
		TRACE_ALGORITHM_COUNT
};

enum trace_protocol {
	TRACE_PROTOCOL_NONE,
#define NAME(id, name) TRACE_PROTOCOL_##id,
	TRACE_PROTOCOLS(NAME)
#undef NAME
		TRACE_PROTOCOL_COUNT
};

/*
 * Properties. Archive properties need upper case; values are text.
 * TACHO::UNMATCHED holds one line per message without its partner:
 * "send|recv <rank> -> <rank> comm <name> tag <n> bytes <n>: <reason>".
 */
#define PROPERTY_ARCHIVE_VERSION "TACHO::VERSION"
#define PROPERTY_ARCHIVE_COMMAND "TACHO::COMMAND"
#define PROPERTY_ARCHIVE_LABEL	 "TACHO::LABEL"
/* of the program's sources: from the working folder's checkout, or from CI's variables */
#define PROPERTY_ARCHIVE_COMMIT "TACHO::COMMIT"
#define PROPERTY_ARCHIVE_BRANCH "TACHO::BRANCH"
/* floating-point operations, as the user gives them: numbers with K, M, G, T, P after them or not */
#define PROPERTY_ARCHIVE_SAMPLE_FLOPS "TACHO::FLOPS_PER_SAMPLE"
#define PROPERTY_ARCHIVE_STEP_FLOPS   "TACHO::FLOPS_PER_STEP"
/* per second, of a GPU or of a rank's device; or a type of device_peak: bf16 */
#define PROPERTY_ARCHIVE_PEAK_FLOPS "TACHO::PEAK_FLOPS"
/* which value of tacho_metric() the training is to reach: loss=0.5, accuracy>0.9 */
#define PROPERTY_ARCHIVE_TARGET "TACHO::TARGET"
/* the name of a region of include/tacho.h, with a number after it, by which a program gives them */
#define MARK_SAMPLE_FLOPS "tacho:flops_per_sample="
#define MARK_STEP_FLOPS	  "tacho:flops_per_step="
/* of a run that was recorded from outside: the processes that the user named */
#define PROPERTY_ARCHIVE_ATTACHED "TACHO::ATTACHED"
/* of a run of which totals alone were merged: bytes of records that are not in the archive one by one */
#define PROPERTY_ARCHIVE_TOTALS "TACHO::TOTALS"
/* CLOCK_REALTIME at time 0 of the trace */
#define PROPERTY_ARCHIVE_START "TACHO::START_NS"
/* of the command; absent when unknown */
#define PROPERTY_ARCHIVE_STATUS "TACHO::EXIT_STATUS"
#define PROPERTY_ARCHIVE_WINDOW "TACHO::CAPTURE_WINDOW"
/* of an archive that was made of other files: the first of them */
#define PROPERTY_ARCHIVE_ORIGIN "TACHO::ORIGIN"
/* what its recorder does not see, words of these with blanks between; figures of it are undefined */
#define PROPERTY_ARCHIVE_LACKS "TACHO::LACKS"
#define LACKS_IO	       "io"
#define LACKS_MPI	       "mpi"
#define LACKS_BYTES	       "bytes" /* of calls of I/O and MPI; times are known */
#define LACKS_WAITS	       "waits" /* between threads, and of main threads for whatever it is */
/* calibrated cost of one recorded call */
#define PROPERTY_ARCHIVE_CALL_COST "TACHO::CALL_COST_NS"
/* "1" when a process was killed or exited before its end */
#define PROPERTY_ARCHIVE_CUT	   "TACHO::CUT"
#define PROPERTY_ARCHIVE_UNMATCHED "TACHO::UNMATCHED"
/* what people noted meanwhile, a line each: "<seconds> s: <text>" */
#define PROPERTY_ARCHIVE_NOTES "TACHO::NOTES"
/* "1" when the run was still in progress: the trace ends at the snapshot */
#define PROPERTY_ARCHIVE_SNAPSHOT "TACHO::SNAPSHOT"
/* of a run that was cut off or is in progress: which ranks waited for which; sentences */
#define PROPERTY_ARCHIVE_HANG "TACHO::HANG"
/* and for how long all that it names as waiting had waited */
#define PROPERTY_ARCHIVE_HANG_NS "TACHO::HANG_NS"
/* which kind of verdict that is: ranks wait for late ones, for dead ones, for each other, … */
#define PROPERTY_ARCHIVE_HANG_KIND "TACHO::HANG_KIND"
#define HANG_LATE		   "late"
#define HANG_DEAD		   "dead"
#define HANG_DEADLOCK		   "deadlock"
#define HANG_MISMATCH		   "mismatch"
#define HANG_TOGETHER		   "together"
/* where all that wait do so alike: those ranks ("0,2,3"), for which ones, in which call */
#define PROPERTY_ARCHIVE_HANG_RANKS "TACHO::HANG_RANKS"
#define PROPERTY_ARCHIVE_HANG_FOR   "TACHO::HANG_FOR"
#define PROPERTY_ARCHIVE_HANG_CALL  "TACHO::HANG_CALL"

#define PROPERTY_RANK "tacho.rank"
#define PROPERTY_PID  "tacho.pid"
/*
 * + a communicator's reference: ranks in it that the process receives from, and sends to, in
 * neighbourhood collectives: "1,3/1,3"
 */
#define PROPERTY_NEIGHBOURS "tacho.neighbours."
/* name of the parent's location group */
#define PROPERTY_PARENT "tacho.parent"
/* of a process: which attempt of a launcher that restarts ranks it belongs to, from 1 */
#define PROPERTY_ATTEMPT "tacho.attempt"
/* of a rank: "1" when others mark steps, and it does not */
#define PROPERTY_UNMARKED "tacho.unmarked"
/* of the archive: how many MPI jobs a script started; tacho.attempt is the number of a process's job then */
#define PROPERTY_ARCHIVE_JOBS "TACHO::JOBS"
#define PROPERTY_AFFINITY     "tacho.affinity" /* CPU list, 0-3,8 */
#define PROPERTY_END	      "tacho.end"      /* finished | killed | running */
#define PROPERTY_ENV_PREFIX   "env."
/* of a rank that exited before MPI_Finalize without a signal: it counts as killed */
/*
 * of a process that a signal killed, by its parent's wait status; how full /dev/shm was just then
 */
#define PROPERTY_SIGNAL	     "tacho.signal"
#define PROPERTY_SHM_BYTES   "tacho.shm_bytes"
#define PROPERTY_SHM_USED    "tacho.shm_used"
#define PROPERTY_EXIT_STATUS "env.exit_status"
/* of a process: ended children without detail; their totals are summed as one child */
#define PROPERTY_ENDED_CHILDREN "env.ended_children"
/* the same of its threads */
#define PROPERTY_ENDED_THREADS "env.ended_threads"
/* of a process: cost of one recorded call */
#define PROPERTY_CALL_COST "env.call_cost_ns"
/* slowest less fastest measurement of it */
#define PROPERTY_CALL_SPREAD "env.call_cost_spread_ns"
/* kernels that the process has launched, recorded or not */
#define PROPERTY_GPU_LAUNCHES "env.gpu_launches_counted"
/* CUPTI's own overhead in the process, as CUPTI reports it */
#define PROPERTY_GPU_OVERHEAD "env.gpu_overhead_ns"
/*
 * Samples of a process's Python stacks, in pieces with a number behind the key. A line each:
 * "<calling context> <location> <samples> <ns> <outermost recorded call> <phase>", with - for none.
 * No context: unknown, as the stack changed while it was read, or too many contexts.
 */
#define PROPERTY_PYTHON "tacho.python."
/*
 * A process's values of tacho_metric(), in pieces with a number behind the key. A line each:
 * "<index within its name, from 0> <time stamp of the trace> <value> <step, or -> <name>".
 */
#define PROPERTY_VALUES "tacho.values."
/*
 * How DDP of a process exchanged its gradients, in pieces likewise. A line for each bucket: "<its
 * index in the backward pass, or -> <bytes> <exchanges> <ns> <ns after the pass>", and before these
 * one for all: "all 0 <passes> <ns> <ns after the pass>".
 */
#define PROPERTY_BUCKETS "tacho.buckets."
/* cost of sampling Python stacks to the process */
#define PROPERTY_PYTHON_COST	"env.python_cost_ns"
#define PROPERTY_CLOCK_RESIDUAL "tacho.clock_residual_ns"
/* call a thread was in at the end */
#define PROPERTY_INSIDE	      "tacho.inside"
#define PROPERTY_INSIDE_SINCE "tacho.inside_since" /* time stamp of the trace */
#define PROPERTY_LOST_PREFIX  "tacho.lost."	   /* + a reason of SPOOL_LOSSES */
/* of a socket's file: text of DEF_SOCKET; number of the file that is its other end */
#define PROPERTY_SOCKET	     "tacho.socket"
#define PROPERTY_SOCKET_PEER "tacho.socket.peer"
#define PROPERTY_DEVICE_UUID "tacho.device.uuid"
#define PROPERTY_DEVICE_NAME "tacho.device.name"
#define PROPERTY_DEVICE_PCI  "tacho.device.pci"
#define PROPERTY_DEVICE_KIND "tacho.device.kind" /* gpu | stand-in */
/*
 * location of a stream: how it is ordered against the legacy default stream; CUDA's number when it
 * is not 0
 */
#define PROPERTY_STREAM_KIND	 "tacho.stream.kind"
#define PROPERTY_STREAM_PRIORITY "tacho.stream.priority"
/* location: "1" for the process's main thread */
#define PROPERTY_MAIN "tacho.main"

#define PARAMETER_STEP "tacho.step"
/* after a kernel's Enter, with attributes as on it: its second, third… operation of NCCL */
#define PARAMETER_OPERATION "tacho.operation"

/* Their numbers in archives of tacho's own. */
enum trace_parameter { TRACE_PARAMETER_STEP, TRACE_PARAMETER_OPERATION };
#define REGION_DESCRIPTION_PHASE "tacho.phase"
#define REGION_DESCRIPTION_STEP	 "tacho.step"

/*
 * Descriptions of metric members of network interfaces: which of them count
 * towards a node's traffic. A node that has physical ones counts those alone,
 * else all; IPoIB is counted by its InfiniBand port.
 */
#define METRIC_INTERFACE_PHYSICAL "physical interface"
#define METRIC_INTERFACE_VIRTUAL  "virtual interface"
#define METRIC_INTERFACE_IPOIB	  "IPoIB interface"

/*
 * Names of regions and communicators of torch.distributed begin so. OTF2 has no paradigm for them:
 * they have MPI's, so that other readers take them for communication.
 */
#define REGION_PREFIX_GLOO  "gloo:"
#define REGION_PREFIX_TORCH "torch:"
#define COMM_PREFIX_TORCH   "torch "

/* Parts of a PyTorch training, as regions like a program's own marks. */
#define REGION_TORCH_BACKWARD  REGION_PREFIX_TORCH "backward"
#define REGION_TORCH_FORWARD   REGION_PREFIX_TORCH "forward"
#define REGION_TORCH_OPTIMIZER REGION_PREFIX_TORCH "optimizer"
#define REGION_TORCH_LOADER    REGION_PREFIX_TORCH "loader"
#define REGION_TORCH_SAVE      REGION_PREFIX_TORCH "save"

/* Values of PROPERTY_STREAM_KIND. */
#define STREAM_KIND_DEFAULT	 "default"
#define STREAM_KIND_BLOCKING	 "blocking"
#define STREAM_KIND_NON_BLOCKING "non-blocking"

/* Values of PROPERTY_END. */
#define END_FINISHED "finished"
#define END_KILLED   "killed"
#define END_RUNNING  "running"

/*
 * Host states, in the database and in the outermost-region rule. In the database "lost" is time
 * without events, as they were lost: its state is unknown. "summed" is time with totals only.
 * "gloo" is all of torch.distributed outside of other libraries' calls.
 */
#define HOST_STATES(STATE)                                                                         \
	STATE(USEFUL, "useful")                                                                    \
	STATE(IO, "io")                                                                            \
	STATE(MPI, "mpi")                                                                          \
	STATE(GLOO, "gloo")                                                                        \
	STATE(CUDA, "cuda")                                                                        \
	STATE(WAIT, "wait")                                                                        \
	STATE(OMP_IDLE, "omp_idle")                                                                \
	STATE(ABSENT, "absent")                                                                    \
	STATE(LOST, "absent")                                                                      \
	STATE(SUMMED, "not_in_detail")

enum host_state {
#define STATE(id, name) HOST_##id,
	HOST_STATES(STATE)
#undef STATE
		HOST_STATE_COUNT
};

/*
 * Device states (compute has priority over nccl, nccl over memcpy, memcpy over idle). Summaries,
 * which take each device separately, have nccl in place of nccl_wait and nccl_transfer.
 */
#define DEVICE_STATES(STATE)                                                                       \
	STATE(COMPUTE, "compute")                                                                  \
	STATE(NCCL_WAIT, "nccl_wait")                                                              \
	STATE(NCCL_TRANSFER, "nccl_transfer")                                                      \
	STATE(NCCL, "nccl")                                                                        \
	STATE(MEMCPY, "memcpy")                                                                    \
	STATE(IDLE_IO_WAIT, "idle:io_wait")                                                        \
	STATE(IDLE_MPI_WAIT, "idle:mpi_wait")                                                      \
	STATE(IDLE_CHECKPOINT, "idle:checkpoint")                                                  \
	STATE(IDLE_HOST_COMPUTE, "idle:host_compute")                                              \
	STATE(IDLE_HOST_IN_CUDA_API, "idle:host_in_cuda_api")                                      \
	STATE(IDLE_WAIT, "idle:wait")                                                              \
	STATE(IDLE_LAUNCH_LATENCY, "idle:launch_latency")                                          \
	STATE(IDLE_QUEUED_OTHER, "idle:queued_other")                                              \
	STATE(IDLE_UNKNOWN, "idle:unknown")                                                        \
	STATE(SUMMED, "not_in_detail")                                                             \
	STATE(DEVICE_ABSENT, "absent")

#endif
