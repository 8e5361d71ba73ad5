/* cuda_calls.c - see cuda_calls.h. */
#include "config.h"

#include <inttypes.h>

#include "cuda_calls.h"
#include "say.h"

#define BLOCK	   256	/* threads of a block */
#define MAX_BLOCKS 4096 /* of a launch; a thread takes several items beyond that */
#define MAX_ARGS   16

static bool failed;
static struct counts process_counts, *counting = &process_counts;
static uint64_t graph_launches;

void cuda_fail(const char *why, const char *call)
{
	if (!failed)
		fail("on the GPU: %s: %s", why, call);
	failed = true;
}

bool cuda_failed(void)
{
	return failed;
}

void counts_into(struct counts *counts)
{
	counting = counts ? counts : &process_counts;
	if (counts)
		*counts = (struct counts){ 0 };
}

/* All members are counters of one width. */
void counts_add_graph(const struct counts *counts)
{
	const uint64_t *from = (const uint64_t *)counts;
	uint64_t *to = (uint64_t *)counting;

	for (size_t i = 0; i < sizeof(*counts) / sizeof(*from); i++)
		to[i] += from[i];
	graph_launches++;
}

void counts_add_allreduce(size_t nbytes)
{
	counting->allreduce.calls++;
	counting->allreduce.bytes += nbytes;
}

static const struct {
	const char *name;
	bool typed;
} kernels[] = {
#define TYPED(name, params, args) { "trainer_" #name, true },
#define PLAIN(name, params, args) { "trainer_" #name, false },
#include "cuda_kernels.def"
#undef TYPED
#undef PLAIN
};

void counts_save(FILE *out, int precision)
{
	static const char *const suffixes[] = { "_fp32", "_fp16", "_bf16" };
	static const char *const copies[] = { "h2d", "d2h" };
	const struct counts *c = &process_counts;

	for (int i = 0; i < KERNEL_COUNT; i++)
		fprintf(out, "cuda kernel %s%s launches %" PRIu64 "\n", kernels[i].name,
			kernels[i].typed ? suffixes[precision] : "", c->kernels[i]);
	fprintf(out, "cuda gemm calls %" PRIu64 "\n", c->gemms);
	for (int i = 0; i < COPY_COUNT; i++)
		fprintf(out, "cuda copy %s calls %" PRIu64 " bytes %" PRIu64 "\n", copies[i],
			c->copies[i].calls, c->copies[i].bytes);
	fprintf(out, "cuda memset calls %" PRIu64 " bytes %" PRIu64 "\n", c->memsets,
		c->memset_bytes);
	fprintf(out, "cuda nccl ncclAllReduce calls %" PRIu64 " bytes %" PRIu64 "\n",
		c->allreduce.calls, c->allreduce.bytes);
	fprintf(out, "cuda graph launches %" PRIu64 "\n", graph_launches);
}

void kernel_launch(const struct launch *launch, enum kernel kernel, const void *function,
	size_t items, void **args, int nargs)
{
	size_t piece = launch->piece ? launch->piece : items, first, end;
	void *all[MAX_ARGS] = { &first, &end };

	for (int i = 0; i < nargs; i++)
		all[2 + i] = args[i];
	for (first = 0; first < items; first = end) {
		size_t count = items - first < piece ? items - first : piece;
		size_t blocks = (count + BLOCK - 1) / BLOCK;

		end = first + count;
		counting->kernels[kernel]++;
		cuda_do(cudaLaunchKernel(function,
			(dim3){ blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS, 1, 1 },
			(dim3){ BLOCK, 1, 1 }, all, 0, launch->stream));
	}
}

void gpu_copy(void *to, const void *from, size_t nbytes, enum copy kind, cudaStream_t stream)
{
	enum cudaMemcpyKind way = kind == COPY_H2D ? cudaMemcpyHostToDevice
						   : cudaMemcpyDeviceToHost;

	counting->copies[kind].calls++;
	counting->copies[kind].bytes += nbytes;
	if (stream) {
		cuda_do(cudaMemcpyAsync(to, from, nbytes, way, stream));
	} else {
		cuda_do(cudaMemcpy(to, from, nbytes, way));
		/* From pageable memory it may return before the device has it. */
		cuda_do(cudaStreamSynchronize(0));
	}
}

void gpu_clear(void *at, size_t nbytes, cudaStream_t stream)
{
	counting->memsets++;
	counting->memset_bytes += nbytes;
	cuda_do(cudaMemsetAsync(at, 0, nbytes, stream));
}

/* cuBLAS counts by columns: it computes the transposed product, b before a. */
void gpu_multiply(cublasHandle_t blas, int precision, const struct product *p)
{
	static const cudaDataType types[] = { CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF };
	cudaDataType type = types[precision];
	bool plain_a = p->form_a == MATRIX_PLAIN, plain_b = p->form_b == MATRIX_PLAIN;
	const float one = 1, zero = 0;

	counting->gemms++;
	blas_do(cublasGemmEx(blas, plain_b ? CUBLAS_OP_N : CUBLAS_OP_T,
		plain_a ? CUBLAS_OP_N : CUBLAS_OP_T, p->n, p->m, p->k, &one, p->b, type,
		plain_b ? p->n : p->k, p->a, type, plain_a ? p->k : p->m, &zero, p->c,
		p->single ? CUDA_R_32F : type, p->n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}
