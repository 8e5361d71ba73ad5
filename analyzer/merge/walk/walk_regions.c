/*
 * walk_regions.c - see walk_regions.h. Names are inspected once, at start, so speed does not
 * matter here.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "merge/walk/walk_regions.h"

struct region_info region_infos[REGION_FIXED_COUNT] = {
	[REGION_NONE] = { .name = "none" },
#define CALL(name_, role_, ...)                                                                    \
	[REGION_##name_] = { .name = #name_, .role = OTF2_REGION_ROLE_##role_ },
#include "tacho/mpi_calls.def"
#include "tacho/io_calls.def"
#include "tacho/wait_calls.def"
#include "tacho/cuda_calls.def"
#include "tacho/nccl_calls.def"
#undef CALL
#define CALL(name_, role_, shape, text, ...)                                                       \
	[REGION_##name_] = { .name = text, .role = OTF2_REGION_ROLE_##role_ },
#include "tacho/torch_calls.def"
#undef CALL
	[REGION_SEEN_FUTEX] = { .name = "futex", .role = OTF2_REGION_ROLE_THREAD_WAIT },
	[REGION_THREAD_END] = { .name = "thread end", .role = OTF2_REGION_ROLE_ARTIFICIAL },
	[REGION_EPOLL_TIMEOUT] = { .name = "epoll_wait (timed out)",
		.role = OTF2_REGION_ROLE_THREAD_WAIT },
	[REGION_POLL_HANGUP] = { .name = "poll (hung up)", .role = OTF2_REGION_ROLE_THREAD_WAIT },
};

static const unsigned char cuda_words[REGION_COUNT] = {
#define CALL(name, role, word) [REGION_##name] = CUDA_WORD_##word,
#include "tacho/cuda_calls.def"
#undef CALL
};

/* What an operation of PyTorch's is, as MPI names it. */
static const char *const torch_operations[REGION_COUNT] = {
#define CALL(name, role, shape, text, operation, ...) [REGION_##name] = #operation,
#include "tacho/torch_calls.def"
#undef CALL
};

/* The rest of an MPI collective's name: MPI_Iallreduce_init_c → allreduce. */
static const struct {
	const char *name;
	OTF2_CollectiveOp op;
} collectives[] = {
	{ "barrier", OTF2_COLLECTIVE_OP_BARRIER },
	{ "bcast", OTF2_COLLECTIVE_OP_BCAST },
	{ "gather", OTF2_COLLECTIVE_OP_GATHER },
	{ "gatherv", OTF2_COLLECTIVE_OP_GATHERV },
	{ "scatter", OTF2_COLLECTIVE_OP_SCATTER },
	{ "scatterv", OTF2_COLLECTIVE_OP_SCATTERV },
	{ "allgather", OTF2_COLLECTIVE_OP_ALLGATHER },
	{ "allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV },
	{ "alltoall", OTF2_COLLECTIVE_OP_ALLTOALL },
	{ "alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV },
	{ "alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW },
	{ "neighbor_allgather", OTF2_COLLECTIVE_OP_ALLGATHER },
	{ "neighbor_allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV },
	{ "neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALL },
	{ "neighbor_alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV },
	{ "neighbor_alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW },
	{ "allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE },
	{ "reduce", OTF2_COLLECTIVE_OP_REDUCE },
	{ "reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER },
	{ "reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK },
	{ "scan", OTF2_COLLECTIVE_OP_SCAN },
	{ "exscan", OTF2_COLLECTIVE_OP_EXSCAN },
	{ "win_fence", OTF2_COLLECTIVE_OP_BARRIER },
	{ "win_free", OTF2_COLLECTIVE_OP_DESTROY_HANDLE },
	{ "comm_disconnect", OTF2_COLLECTIVE_OP_DESTROY_HANDLE },
	{ "comm_free", OTF2_COLLECTIVE_OP_DESTROY_HANDLE },
	{ "win_allocate", OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE },
	{ "win_allocate_shared", OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE },
	{ "init", OTF2_COLLECTIVE_OP_BARRIER },
	{ "init_thread", OTF2_COLLECTIVE_OP_BARRIER },
	{ "finalize", OTF2_COLLECTIVE_OP_BARRIER },
};

/* First match wins; a '*' at the end represents anything, one in front for any prefix. */
static const struct {
	const char *pattern;
	enum io_op op;
} operations[] = {
	{ "aio_return*", IO_OP_READ }, /* of what was written it says apart */
	{ "aio_*", IO_OP_NONE },
	{ "lio_listio*", IO_OP_NONE },
	{ "*lseek*", IO_OP_SEEK },
	{ "fseek*", IO_OP_SEEK },
	{ "rewind", IO_OP_SEEK },
	{ "fsetpos*", IO_OP_SEEK },
	{ "*_seek*", IO_OP_SEEK },
	{ "fdopen*", IO_OP_NONE },
	{ "opendir", IO_OP_CREATE },
	{ "closedir", IO_OP_DESTROY },
	{ "readdir*", IO_OP_NONE },
	{ "readlink*", IO_OP_NONE },
	{ "readahead", IO_OP_NONE },
	{ "*open*", IO_OP_CREATE },
	{ "creat*", IO_OP_CREATE },
	{ "mkstemp*", IO_OP_CREATE },
	{ "mkostemp*", IO_OP_CREATE },
	{ "tmpfile*", IO_OP_CREATE },
	{ "*close", IO_OP_DESTROY },
	{ "unlink*", IO_OP_DELETE },
	{ "remove", IO_OP_DELETE },
	{ "*_delete", IO_OP_DELETE },
	{ "*sync*", IO_OP_FLUSH },
	{ "fflush*", IO_OP_FLUSH },
	/* their handle is the descriptor that is read; what they write is reported apart */
	{ "sendfile*", IO_OP_READ },
	{ "splice", IO_OP_READ },
	{ "tee", IO_OP_READ },
	{ "vmsplice", IO_OP_WRITE },
	{ "copy_file_range", IO_OP_READ },
	{ "*read*", IO_OP_READ },
	{ "*write*", IO_OP_WRITE },
	{ "*recv*", IO_OP_READ },
	{ "send*", IO_OP_WRITE },
	{ "*gets*", IO_OP_READ },
	{ "*getws*", IO_OP_READ },
	{ "*putws*", IO_OP_WRITE },
	{ "*getc*", IO_OP_READ },
	{ "getline", IO_OP_READ },
	{ "*getdelim", IO_OP_READ },
	{ "*scanf*", IO_OP_READ },
	{ "*puts*", IO_OP_WRITE },
	{ "*putc*", IO_OP_WRITE },
	{ "*printf*", IO_OP_WRITE },
};

static bool pattern_matches(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);
	bool any_end = n && pattern[n - 1] == '*', any_start = pattern[0] == '*';
	char core[32];
	const char *at;

	snprintf(core, sizeof(core), "%.*s", (int)(n - any_end - any_start), pattern + any_start);
	n = strlen(core);
	for (at = strcasestr(name, core); at; at = strcasestr(at + 1, core))
		if ((any_start || at == name) && (any_end || at[n] == '\0'))
			return true;
	return false;
}

static enum io_op io_op_of(const char *name)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (pattern_matches(operations[i].pattern, name))
			return operations[i].op;
	return IO_OP_NONE;
}

static bool ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && strcmp(name + n - m, suffix) == 0;
}

static void cut(char *name, const char *suffix)
{
	if (ends(name, suffix))
		name[strlen(name) - strlen(suffix)] = '\0';
}

static unsigned char collective_find(const char *base)
{
	for (size_t i = 0; i < sizeof(collectives) / sizeof(*collectives); i++)
		if (strcasecmp(base, collectives[i].name) == 0)
			return collectives[i].op;
	return COLLECTIVE_NONE;
}

static unsigned char collective_of(const char *name)
{
	char base[64];
	unsigned char op;

	snprintf(base, sizeof(base), "%s", strchr(name, '_') + 1); /* MPI_, MPIX_ */
	cut(base, "_c");					   /* for large counts */
	op = collective_find(base);
	if (op != COLLECTIVE_NONE)
		return op;
	cut(base, "_init");
	op = collective_find(base + (base[0] == 'I'));
	if (op != COLLECTIVE_NONE)
		return op;
	if (strncmp(base, "Comm_", 5) == 0 || strncmp(base, "Win_", 4) == 0 ||
		strncmp(base, "Intercomm_", 10) == 0 || strncmp(base, "Cart_", 5) == 0 ||
		strncmp(base, "Graph_", 6) == 0 || strncmp(base, "Dist_", 5) == 0)
		return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
	return COLLECTIVE_NONE;
}

/* Bsend, Irsend, Send_init … send; Recv, Imrecv, Recv_init … receive. */
static unsigned char p2p_of(const char *name)
{
	if (strcasestr(name, "send"))
		return REQUEST_SEND;
	return strcasestr(name, "recv") ? REQUEST_RECV : 0;
}

static unsigned char rma_of(const char *name)
{
	if (strcasestr(name, "accumulate") || strcasestr(name, "fetch_and_op") ||
		strcasestr(name, "compare_and_swap"))
		return 'a';
	return strcasestr(name, "put") ? 'p' : 'g';
}

/* Functions of the host run on no device, and of prefetches CUPTI has no information. */
static bool launches(const struct region_info *info)
{
	return (info->role == OTF2_REGION_ROLE_WRAPPER ||
		       info->role == OTF2_REGION_ROLE_DATA_TRANSFER) &&
		!strstr(info->name, "HostFunc") && !strstr(info->name, "Prefetch");
}

static void file_init(struct region_info *info)
{
	if (strncmp(info->name, "MPI_File_", 9) != 0)
		return;
	info->io = io_op_of(info->name + 8);
	info->by_all = ends(info->name, "_all") || ends(info->name, "_ordered") ||
		ends(info->name, "_all_c") || ends(info->name, "_ordered_c");
}

void regions_init(void)
{
	for (int i = 1; i < REGION_FIXED_COUNT; i++) {
		struct region_info *info = &region_infos[i];

		info->collective = COLLECTIVE_NONE;
		switch (region_class(i)) {
		case REGION_CLASS_MPI:
			info->paradigm = OTF2_PARADIGM_MPI;
			info->collective = collective_of(info->name);
			info->neighbours = strcasestr(info->name, "neighbor") &&
				info->collective != COLLECTIVE_NONE;
			info->p2p = p2p_of(info->name);
			info->rma = rma_of(info->name);
			file_init(info);
			break;
		case REGION_CLASS_IO:
			info->io = io_op_of(info->name);
			info->paradigm = OTF2_PARADIGM_UNKNOWN;
			break;
		case REGION_CLASS_CUDA:
			info->paradigm = OTF2_PARADIGM_CUDA;
			info->word = cuda_words[i];
			info->launches = launches(info);
			break;
		case REGION_CLASS_NCCL: /* OTF2 has no paradigm for NCCL */
			info->paradigm = OTF2_PARADIGM_CUDA;
			break;
		case REGION_CLASS_TORCH: /* nor for PyTorch's messages, which are like MPI's */
			info->paradigm = OTF2_PARADIGM_MPI;
			info->collective = collective_find(torch_operations[i]);
			info->p2p = p2p_of(torch_operations[i]);
			break;
		default: info->paradigm = OTF2_PARADIGM_PTHREAD; break;
		}
	}
}
