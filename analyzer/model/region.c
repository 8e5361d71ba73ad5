/* region.c - see region.h. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "model/region.h"

const char *const region_kind_names[KIND_COUNT] = {
#define NAME(id, text, state) [KIND_##id] = text,
	REGION_KINDS(NAME)
#undef NAME
};

const enum host_state region_kind_states[KIND_COUNT] = {
#define NAME(id, text, state) [KIND_##id] = HOST_##state,
	REGION_KINDS(NAME)
#undef NAME
};

/*
 * POSIX and ISO C calls by name, for archives that give them no role: the collector's calls, and
 * some more.
 */
static const char *const io_names[] = {
#define CALL(name, ...) #name,
#include "tacho/io_calls.def"
#undef CALL
	"open",
	"openat",
	"creat",
	"close",
	"read",
	"write",
	"pread",
	"pwrite",
	"readv",
	"writev",
	"preadv",
	"pwritev",
	"lseek",
	"fsync",
	"fdatasync",
	"sync",
	"fopen",
	"fclose",
	"fread",
	"fwrite",
	"fgets",
	"fputs",
	"fflush",
	"fseek",
	"fgetc",
	"fputc",
	"ftruncate",
	"unlink",
	"mkdir",
	"rmdir",
	"rename",
	"dup",
	"dup2",
};

static const char *const wait_names[] = {
	"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "sem_wait",
	"sem_timedwait", "sem_clockwait", "pthread_join", "pthread_barrier_wait", "poll", "ppoll",
	"select", "pselect", "epoll_wait", "epoll_pwait", "nanosleep", "clock_nanosleep", "usleep",
	"sleep", "wait", "wait3", "wait4", "waitpid", "waitid",
	"futex", /* of a process that tacho was attached to */
};

static const char *const sleep_names[] = {
	"nanosleep", "clock_nanosleep", "usleep", "sleep",
	"epoll_wait (timed out)", /* an event loop's: asyncio.sleep() */
};

static const char *const child_names[] = {
	"wait",
	"wait3",
	"wait4",
	"waitpid",
	"waitid",
};

static const char *const semaphore_names[] = {
	"sem_wait",
	"sem_timedwait",
	"sem_clockwait",
};

static bool begins(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool listed(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The same for functions of MPI; their variants for large counts end in _c. */
static bool listed_mpi(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(name, names[i], length) == 0 &&
			(!name[length] || strcmp(name + length, "_c") == 0))
			return true;
	}
	return false;
}

#define LISTED(name, names)	listed(name, names, sizeof(names) / sizeof(names[0]))
#define LISTED_MPI(name, names) listed_mpi(name, names, sizeof(names) / sizeof(names[0]))

static bool is_cuda(const struct in_region *in)
{
	const char *name = in->name;

	return in->paradigm == OTF2_PARADIGM_CUDA || in->paradigm == OTF2_PARADIGM_HIP ||
		begins(name, "cuda") || begins(name, "hip") ||
		(begins(name, "cu") && isupper((unsigned char)name[2]));
}

/* TAU gives its OMPT regions no role: OpenMP_Sync_Region_Barrier_Implicit and a place after it. */
static bool is_omp_wait_name(const char *name)
{
	static const char *const waits[] = { "Barrier", "Taskwait", "Taskgroup" };
	static const char prefix[] = "OpenMP_Sync_Region_";

	for (size_t i = 0; begins(name, prefix) && i < sizeof(waits) / sizeof(waits[0]); i++)
		if (begins(name + strlen(prefix), waits[i]))
			return true;
	return false;
}

static bool is_omp_wait(const struct in_region *in)
{
	if (in->paradigm != OTF2_PARADIGM_OPENMP)
		return false;
	return is_omp_wait_name(in->name) || in->role == OTF2_REGION_ROLE_BARRIER ||
		in->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER ||
		in->role == OTF2_REGION_ROLE_TASK_WAIT || strcmp(in->name, "omp_set_lock") == 0 ||
		strcmp(in->name, "omp_set_nest_lock") == 0;
}

/* Calls of libraries that compute nothing by themselves, by paradigm; KIND_USER: of none of those. */
static enum region_kind kind_of_paradigm(OTF2_Paradigm paradigm)
{
	switch (paradigm) {
	case OTF2_PARADIGM_GASPI:
	case OTF2_PARADIGM_UPC:
	case OTF2_PARADIGM_SHMEM: return KIND_MPI;
	case OTF2_PARADIGM_HMPP:
	case OTF2_PARADIGM_OPENACC:
	case OTF2_PARADIGM_OPENCL: return KIND_CUDA;
	case OTF2_PARADIGM_PTHREAD:
	case OTF2_PARADIGM_WINTHREAD:
	case OTF2_PARADIGM_QTTHREAD:
	case OTF2_PARADIGM_ACETHREAD:
	case OTF2_PARADIGM_TBBTHREAD:
	case OTF2_PARADIGM_MTAPI: return KIND_WAIT;
	default: return KIND_USER;
	}
}

static enum region_kind kind_of(const struct in_region *in)
{
	const char *name = in->name;
	bool io_role = in->role == OTF2_REGION_ROLE_FILE_IO ||
		in->role == OTF2_REGION_ROLE_FILE_IO_METADATA;

	if (begins(name, "MPI_File_"))
		return KIND_IO;
	if (begins(name, REGION_PREFIX_GLOO) ||
		(begins(name, REGION_PREFIX_TORCH) && in->paradigm != OTF2_PARADIGM_USER))
		return KIND_GLOO;
	if (begins(name, "MPI_") ||
		(in->paradigm == OTF2_PARADIGM_MPI && in->role != OTF2_REGION_ROLE_ARTIFICIAL))
		return KIND_MPI;
	if (begins(name, "nccl") || begins(name, "rccl"))
		return KIND_NCCL;
	if (is_cuda(in))
		return KIND_CUDA;
	if (is_omp_wait(in))
		return KIND_OMP;
	if (in->paradigm == OTF2_PARADIGM_USER || in->paradigm == OTF2_PARADIGM_COMPILER)
		return KIND_USER;
	if (LISTED(name, wait_names) || in->role == OTF2_REGION_ROLE_THREAD_WAIT)
		return KIND_WAIT;
	if (io_role || LISTED(name, io_names))
		return KIND_IO;
	return in->role == OTF2_REGION_ROLE_ARTIFICIAL ? KIND_USER : kind_of_paradigm(in->paradigm);
}

static enum send_mode send_mode(const char *name)
{
	static const char *const rendezvous[] = { "MPI_Ssend", "MPI_Issend" };
	static const char *const eager[] = { "MPI_Bsend", "MPI_Ibsend", "MPI_Rsend", "MPI_Irsend" };

	return LISTED_MPI(name, rendezvous) ? SEND_RENDEZVOUS
		: LISTED_MPI(name, eager)   ? SEND_EAGER
					    : SEND_STANDARD;
}

static bool communicates(const char *name)
{
	static const char *const names[] = {
		"MPI_Send",
		"MPI_Recv",
		"MPI_Ssend",
		"MPI_Bsend",
		"MPI_Sendrecv",
		"MPI_Isend",
		"MPI_Irecv",
		"MPI_Bcast",
		"MPI_Barrier",
		"MPI_Reduce",
		"MPI_Allreduce",
		"MPI_Gather",
		"MPI_Gatherv",
		"MPI_Allgather",
		"MPI_Allgatherv",
		"MPI_Scatter",
		"MPI_Scatterv",
		"MPI_Alltoall",
		"MPI_Alltoallv",
		"MPI_Reduce_scatter",
		"MPI_Iallreduce",
		"MPI_Ibcast",
		"MPI_Ibarrier",
	};

	return LISTED_MPI(name, names);
}

/*
 * Probes (which do not record their result) and passive one-sided calls: the replay keeps their
 * duration.
 */
static bool is_ungated(const char *name)
{
	static const char *const prefixes[] = {
		"MPI_Probe",
		"MPI_Mprobe",
		"MPI_Win_lock",
		"MPI_Win_unlock",
		"MPI_Win_flush",
		"MPI_Win_wait",
		"MPI_Win_start",
		"MPI_Win_complete",
		"MPI_Fetch_and_op",
		"MPI_Compare_and_swap",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Only the call that begins a neighbourhood collective has such a name. */
static bool is_of_neighbours(const char *name)
{
	return strncmp(name, "MPI_Neighbor_", 13) == 0 ||
		strncmp(name, "MPI_Ineighbor_", 14) == 0 ||
		strncmp(name, "MPIX_Neighbor_", 14) == 0;
}

static enum rma_sync rma_sync(const char *name)
{
	static const char *const posts[] = { "MPI_Win_post" },
				 *const starts[] = { "MPI_Win_start" },
				 *const completes[] = { "MPI_Win_complete" },
				 *const waits[] = { "MPI_Win_wait", "MPI_Win_test" };

	return LISTED_MPI(name, posts)	      ? RMA_POST
		: LISTED_MPI(name, starts)    ? RMA_START
		: LISTED_MPI(name, completes) ? RMA_COMPLETE
		: LISTED_MPI(name, waits)     ? RMA_WAIT
					      : RMA_NONE;
}

static bool polls(const char *name)
{
	static const char *const names[] = { "MPI_Test", "MPI_Testall", "MPI_Testany",
		"MPI_Testsome", "MPI_Iprobe", "MPI_Improbe", "MPI_Win_test",
		"MPI_Request_get_status", "MPI_Parrived" };

	return LISTED_MPI(name, names);
}

static bool ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && strcmp(name + n - m, suffix) == 0;
}

/*
 * Reads and writes by descriptor or stream. Linux counts them on sockets as well, and counts
 * sendfile and copy_file_range. It does not count calls for sockets only, splice, or MPI file
 * calls, of which only the inner calls count.
 */
static bool proc_counts(const struct in_region *in)
{
	static const char *const others[] = {
		"send",
		"sendto",
		"sendmsg",
		"recv",
		"recvfrom",
		"recvmsg",
		"__recv_chk",
		"__recvfrom_chk",
		"splice",
	};

	return LISTED(in->name, io_names) && !LISTED(in->name, others);
}

enum { PLAIN_NAME = 128 };

/* TAU names the functions of libraries "MPI_Send()". */
static const char *plain_name(const char *name, char *plain)
{
	size_t n = strlen(name);

	if (n < PLAIN_NAME && ends(name, "()")) {
		memcpy(plain, name, n - 2);
		plain[n - 2] = '\0';
		name = plain;
	}
	return name;
}

static enum region_bound bound_of(const char *name, enum region_kind kind)
{
	if (kind != KIND_MPI)
		return BOUND_NONE;
	return strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0 ? BOUND_INIT
		: strcmp(name, "MPI_Finalize") == 0 ? BOUND_FINALIZE
						    : BOUND_NONE;
}

/* Regions of collector/torch/torch_autograd.c. */
static enum training training_of(const char *name)
{
	static const char *const names[TRAINING_COUNT] = {
		[TRAINING_LOADING] = REGION_TORCH_LOADER,
		[TRAINING_FORWARD] = REGION_TORCH_FORWARD,
		[TRAINING_BACKWARD] = REGION_TORCH_BACKWARD,
		[TRAINING_OPTIMIZER] = REGION_TORCH_OPTIMIZER,
		[TRAINING_SAVING] = REGION_TORCH_SAVE,
	};

	for (int i = 0; i < TRAINING_COUNT; i++)
		if (names[i] && strcmp(name, names[i]) == 0)
			return (enum training)i;
	return TRAINING_NONE;
}

static struct region classify(const struct in_region *in)
{
	struct region region = {
		.name = in->name,
		.kind = kind_of(in),
		.mode = send_mode(in->name),
		.communicates = communicates(in->name),
		.ungated = is_ungated(in->name),
		.neighbours = is_of_neighbours(in->name),
		.polls = polls(in->name),
		.sync = rma_sync(in->name),
		.activity = activity_classify(in),
	};

	region.bound = bound_of(in->name, region.kind);
	if (region.kind == KIND_USER)
		region.training = training_of(in->name);
	region.sleeps = LISTED(in->name, sleep_names);
	region.times_out = region.sleeps && strncmp(in->name, "epoll_wait", 10) == 0;
	region.semaphore = LISTED(in->name, semaphore_names);
	region.for_child = LISTED(in->name, child_names);
	region.proc_counts = region.kind == KIND_IO && proc_counts(in);
	region.file_call = begins(in->name, "MPI_File_");
	region.file_by_all = region.file_call &&
		(ends(in->name, "_all") || ends(in->name, "_ordered") || ends(in->name, "_all_c") ||
			ends(in->name, "_ordered_c"));
	region.file_begins = region.file_call &&
		(ends(in->name, "_begin") || ends(in->name, "_begin_c"));
	if (region.kind == KIND_CUDA)
		region.device_call = device_call_classify(in->name);
	if (region.kind == KIND_USER && strcmp(in->description, REGION_DESCRIPTION_PHASE) == 0)
		region.mark = MARK_PHASE;
	else if (region.kind == KIND_USER && strcmp(in->description, REGION_DESCRIPTION_STEP) == 0)
		region.mark = MARK_STEP;
	return region;
}

struct region region_classify(const struct in_region *in)
{
	char plain[PLAIN_NAME];
	struct in_region called = *in;
	struct region region;

	called.name = plain_name(in->name, plain);
	region = classify(&called);
	region.name = in->name;
	return region;
}

bool region_may_be_around(const struct in_region *in)
{
	char plain[PLAIN_NAME];
	struct in_region called = *in, named;
	enum region_kind kind;

	called.name = plain_name(in->name, plain);
	named = called;
	named.paradigm = OTF2_PARADIGM_UNKNOWN;
	named.role = OTF2_REGION_ROLE_UNKNOWN;
	kind = kind_of(&called);
	return (kind == KIND_MPI || kind == KIND_CUDA || kind == KIND_WAIT) &&
		kind_of(&named) == KIND_USER && !begins(called.name, "MPI") &&
		in->role != OTF2_REGION_ROLE_THREAD_WAIT && in->role != OTF2_REGION_ROLE_BARRIER;
}

bool region_keeps_inner(const struct in_region *in)
{
	return in->paradigm == OTF2_PARADIGM_CUDA || in->paradigm == OTF2_PARADIGM_HIP ||
		in->paradigm == OTF2_PARADIGM_MPI;
}
