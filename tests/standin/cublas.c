/*
 * The stand-in libcublas: matrix products as kernels on the handle's stream, computed on
 * the CPU in single precision (OpenBLAS where the process has it or it can be loaded, else
 * a plain loop), whatever the operands' precision is: as tensor cores do.
 */
#include "stream.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifndef STANDIN_CUDA
#error "STANDIN_CUDA is not given"
#endif

enum { VERSION = STANDIN_CUDA == 12 ? 120400 : 130000 };
enum { TILE_M = 128, TILE_N = 64 };

struct cublasContext {
	cudaStream_t stream;
	cublasMath_t math;
	cublasPointerMode_t pointers;
	void *workspace;
};

struct operand {
	const void *data;
	cudaDataType type;
	cublasOperation_t op;
	int ld;
	long long stride;
};

struct product {
	int m, n, k, batch;
	struct operand a, b;
	void *c;
	cudaDataType c_type;
	int ldc;
	long long stride_c;
	const float *alpha, *beta; /* on the device, or the copies below */
	float alpha_copy, beta_copy;
};

/* ---- numbers ---- */

static float half_get(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023,
		 bits;
	float f;

	if (exponent == 0) { /* 0 and numbers below the least normal number */
		f = (float)fraction / 16777216.0f;
		return sign ? -f : f;
	}
	bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
	memcpy(&f, &bits, 4);
	return f;
}

static uint16_t half_put(float f)
{
	uint32_t bits, rest;
	uint16_t sign, h;
	int exponent;

	memcpy(&bits, &f, 4);
	sign = (uint16_t)(bits >> 16 & 0x8000);
	exponent = (int)(bits >> 23 & 255) - 112;
	bits &= 0x7fffff;
	if (exponent >= 31) /* too large, infinite or not a number */
		return sign | 0x7c00 | (exponent == 143 && bits ? 0x200 : 0);
	if (exponent <= 0) {
		if (exponent < -10)
			return sign;
		bits = (bits | 0x800000) >> (1 - exponent) |
			((bits & ((1u << (1 - exponent)) - 1)) != 0);
		exponent = 0;
	}
	h = (uint16_t)(exponent << 10 | bits >> 13);
	rest = bits & 0x1fff;
	h += rest > 0x1000 || (rest == 0x1000 && (h & 1)); /* to the nearest, ties to even */
	return sign | h;
}

static float bf16_get(uint16_t b)
{
	uint32_t bits = (uint32_t)b << 16;
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

static uint16_t bf16_put(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	if ((bits & 0x7fffffff) > 0x7f800000)
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static size_t type_size(cudaDataType type)
{
	return type == CUDA_R_32F ? 4 : 2;
}

static bool type_known(cudaDataType type)
{
	return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF;
}

static float number_get(const void *data, cudaDataType type, size_t i)
{
	if (type == CUDA_R_32F)
		return ((const float *)data)[i];
	return type == CUDA_R_16F ? half_get(((const uint16_t *)data)[i])
				  : bf16_get(((const uint16_t *)data)[i]);
}

static void number_put(void *data, cudaDataType type, size_t i, float f)
{
	if (type == CUDA_R_32F)
		((float *)data)[i] = f;
	else
		((uint16_t *)data)[i] = type == CUDA_R_16F ? half_put(f) : bf16_put(f);
}

/* ---- products: column by column, as BLAS does ---- */

typedef void gemm_function(const char *, const char *, const int *, const int *, const int *,
	const float *, const float *, const int *, const float *, const int *, const float *,
	float *, const int *);

static gemm_function *blas;
static pthread_once_t blas_once = PTHREAD_ONCE_INIT;

static void blas_find(void)
{
	void *lib;

	*(void **)&blas = dlsym(RTLD_DEFAULT, "sgemm_");
	lib = blas ? NULL : dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
	if (lib)
		*(void **)&blas = dlsym(lib, "sgemm_");
}

/* ROWS × COLUMNS as stored, in single precision: the operand itself, or a copy to free. */
static const float *single(const struct operand *o, int columns, int rows, int batch, float **copy)
{
	const char *data = (const char *)o->data + (size_t)(batch * o->stride) * type_size(o->type);

	*copy = NULL;
	if (o->type == CUDA_R_32F)
		return (const float *)data;
	*copy = malloc((size_t)o->ld * (size_t)columns * sizeof(float));
	if (!*copy)
		abort();
	for (int j = 0; j < columns; j++)
		for (int i = 0; i < rows; i++)
			(*copy)[(size_t)j * (size_t)o->ld + (size_t)i] = number_get(data, o->type,
				(size_t)j * (size_t)o->ld + (size_t)i);
	return *copy;
}

static void plain(const struct product *p, const float *a, const float *b, float *out)
{
	bool ta = p->a.op != CUBLAS_OP_N, tb = p->b.op != CUBLAS_OP_N;
	size_t lda = (size_t)p->a.ld, ldb = (size_t)p->b.ld;

	for (int j = 0; j < p->n; j++)
		for (int i = 0; i < p->m; i++) {
			float sum = 0;

			for (int l = 0; l < p->k; l++)
				sum += a[ta ? (size_t)i * lda + (size_t)l
					    : (size_t)l * lda + (size_t)i] *
					b[tb ? (size_t)l * ldb + (size_t)j
					     : (size_t)j * ldb + (size_t)l];
			out[(size_t)j * (size_t)p->m + (size_t)i] = sum;
		}
}

static void multiply(const struct product *p, const float *a, const float *b, float *out)
{
	const char *ta = p->a.op == CUBLAS_OP_N ? "N" : "T",
		   *tb = p->b.op == CUBLAS_OP_N ? "N" : "T";
	const float one = 1, zero = 0;

	pthread_once(&blas_once, blas_find);
	if (blas)
		blas(ta, tb, &p->m, &p->n, &p->k, &one, a, &p->a.ld, b, &p->b.ld, &zero, out,
			&p->m);
	else
		plain(p, a, b, out);
}

static void store(const struct product *p, const float *out, int batch)
{
	char *c = (char *)p->c + (size_t)(batch * p->stride_c) * type_size(p->c_type);
	float alpha = *p->alpha, beta = *p->beta;

	for (int j = 0; j < p->n; j++)
		for (int i = 0; i < p->m; i++) {
			size_t at = (size_t)j * (size_t)p->ldc + (size_t)i;
			float before = beta != 0 ? beta * number_get(c, p->c_type, at) : 0;

			number_put(c, p->c_type, at,
				alpha * out[(size_t)j * (size_t)p->m + (size_t)i] + before);
		}
}

static void product_run(void *arg)
{
	const struct product *p = arg;
	float *out = malloc((size_t)p->m * (size_t)p->n * sizeof(float) + 1);

	if (!out)
		abort();
	for (int batch = 0; batch < p->batch; batch++) {
		bool ta = p->a.op != CUBLAS_OP_N, tb = p->b.op != CUBLAS_OP_N;
		float *copy_a, *copy_b;
		const float *a = single(&p->a, ta ? p->m : p->k, ta ? p->k : p->m, batch, &copy_a);
		const float *b = single(&p->b, tb ? p->k : p->n, tb ? p->n : p->k, batch, &copy_b);

		multiply(p, a, b, out);
		store(p, out, batch);
		free(copy_a);
		free(copy_b);
	}
	free(out);
}

/* ---- launching ---- */

enum kernel { KERNEL_SINGLE, KERNEL_TF32, KERNEL_HALF, KERNEL_BF16, KERNELS };

static const char *const NAMES[KERNELS][4] = {
#define FORMS(name)                                                                                \
	{                                                                                          \
		name "_nn", name "_nt", name "_tn", name "_tt"                                     \
	}
	[KERNEL_SINGLE] = FORMS("ampere_sgemm_128x64"),
	[KERNEL_TF32] = FORMS("ampere_tf32_s1688gemm_128x64_ldg4"),
	[KERNEL_HALF] = FORMS("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3"),
	[KERNEL_BF16] = FORMS("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3"),
};

static enum kernel kernel_of(const struct product *p, bool tf32)
{
	if (p->a.type != CUDA_R_32F)
		return p->a.type == CUDA_R_16F ? KERNEL_HALF : KERNEL_BF16;
	return tf32 ? KERNEL_TF32 : KERNEL_SINGLE;
}

static const char *kernel_name(const struct product *p, enum kernel kernel)
{
	return NAMES[kernel][2 * (p->a.op != CUBLAS_OP_N) + (p->b.op != CUBLAS_OP_N)];
}

/*
 * How many times as fast tensor cores are, where STANDIN_TENSOR_SPEEDUP does not say it: what small
 * networks' products gain. The forward pass of VGG16, hardly anything else, took 26.2 ms in single
 * precision on a V100 and 12.6 in half (github.com/u39kun/deep-learning-benchmark, batch 16). The
 * largest square ones gain 15 times on an A100 (github.com/NVIDIA/cutlass/discussions/241).
 */
enum { TENSOR_SPEEDUP = 2 };

static double variable(const char *name, double otherwise)
{
	const char *text = getenv(name);

	return text ? strtod(text, NULL) : otherwise;
}

/* How long a product takes at least: nothing where STANDIN_GFLOPS is not set. */
static uint64_t product_ns(const struct product *p, enum kernel kernel)
{
	double gflops = variable("STANDIN_GFLOPS", 0);

	if (kernel != KERNEL_SINGLE)
		gflops *= variable("STANDIN_TENSOR_SPEEDUP", TENSOR_SPEEDUP);
	return gflops > 0 ? (uint64_t)(2.0 * p->m * p->n * p->k * p->batch / gflops) : 0;
}

static bool product_valid(const struct product *p)
{
	int rows_a = p->a.op == CUBLAS_OP_N ? p->m : p->k,
	    rows_b = p->b.op == CUBLAS_OP_N ? p->k : p->n;

	return p->m >= 0 && p->n >= 0 && p->k >= 0 && p->batch >= 0 && p->a.ld >= rows_a &&
		p->b.ld >= rows_b && p->ldc >= p->m;
}

static cublasStatus_t launch(cublasHandle_t handle, const struct product *given, const void *alpha,
	const void *beta, bool tf32)
{
	struct product *p;
	struct standin_work work = { .run = product_run, .release = free };
	enum kernel kernel;

	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!product_valid(given) || !alpha || !beta)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!type_known(given->a.type) || given->a.type != given->b.type ||
		!type_known(given->c_type))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!given->m || !given->n || !given->batch)
		return CUBLAS_STATUS_SUCCESS;
	p = malloc(sizeof(*p));
	if (!p)
		return CUBLAS_STATUS_ALLOC_FAILED;
	*p = *given;
	p->alpha = alpha;
	p->beta = beta;
	if (handle->pointers == CUBLAS_POINTER_MODE_HOST) {
		p->alpha_copy = *(const float *)alpha;
		p->beta_copy = *(const float *)beta;
		p->alpha = &p->alpha_copy;
		p->beta = &p->beta_copy;
	}
	kernel = kernel_of(p, tf32 || handle->math == CUBLAS_TF32_TENSOR_OP_MATH);
	work.name = kernel_name(p, kernel);
	work.arg = p;
	work.grid[0] = (unsigned)(p->m + TILE_M - 1) / TILE_M;
	work.grid[1] = (unsigned)(p->n + TILE_N - 1) / TILE_N;
	work.grid[2] = (unsigned)p->batch;
	work.block[0] = 128;
	work.block[1] = work.block[2] = 1;
	work.least_ns = product_ns(p, kernel);
	return standin_enqueue(handle->stream, &work, 1) == 0 ? CUBLAS_STATUS_SUCCESS
							      : CUBLAS_STATUS_EXECUTION_FAILED;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta,
	cublasOperation_t tb, int m, int n, int k, const float *alpha, const float *a, int lda,
	long long stride_a, const float *b, int ldb, long long stride_b, const float *beta,
	float *c, int ldc, long long stride_c, int batch)
{
	struct product p = { .m = m,
		.n = n,
		.k = k,
		.batch = batch,
		.a = { a, CUDA_R_32F, ta, lda, stride_a },
		.b = { b, CUDA_R_32F, tb, ldb, stride_b },
		.c = c,
		.c_type = CUDA_R_32F,
		.ldc = ldc,
		.stride_c = stride_c };

	return launch(handle, &p, alpha, beta, false);
}

EXPORT cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t ta,
	cublasOperation_t tb, int m, int n, int k, const float *alpha, const float *a, int lda,
	const float *b, int ldb, const float *beta, float *c, int ldc)
{
	return cublasSgemmStridedBatched(handle, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta,
		c, ldc, 0, 1);
}

EXPORT cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta,
	cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a,
	cudaDataType a_type, int lda, long long stride_a, const void *b, cudaDataType b_type,
	int ldb, long long stride_b, const void *beta, void *c, cudaDataType c_type, int ldc,
	long long stride_c, int batch, cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	struct product p = { .m = m,
		.n = n,
		.k = k,
		.batch = batch,
		.a = { a, a_type, ta, lda, stride_a },
		.b = { b, b_type, tb, ldb, stride_b },
		.c = c,
		.c_type = c_type,
		.ldc = ldc,
		.stride_c = stride_c };

	(void)algo;
	switch (compute) {
	case CUBLAS_COMPUTE_32F:
	case CUBLAS_COMPUTE_32F_PEDANTIC:
	case CUBLAS_COMPUTE_32F_FAST_16F:
	case CUBLAS_COMPUTE_32F_FAST_16BF:
	case CUBLAS_COMPUTE_32F_FAST_TF32:
		return launch(handle, &p, alpha, beta, compute == CUBLAS_COMPUTE_32F_FAST_TF32);
	default: return CUBLAS_STATUS_NOT_SUPPORTED;
	}
}

EXPORT cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta,
	cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a,
	cudaDataType a_type, int lda, const void *b, cudaDataType b_type, int ldb, const void *beta,
	void *c, cudaDataType c_type, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, a_type, lda, 0, b,
		b_type, ldb, 0, beta, c, c_type, ldc, 0, 1, compute, algo);
}

/* ---- handles ---- */

EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	if (standin_stream_device(NULL) < 0)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	*handle = calloc(1, sizeof(**handle));
	return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
	free(handle);
	return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
	(void)handle;
	*version = VERSION;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
	handle->stream = stream;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream)
{
	*stream = handle->stream;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
	handle->math = mode;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode)
{
	*mode = handle->math;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode)
{
	handle->pointers = mode;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode)
{
	*mode = handle->pointers;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
	(void)bytes;
	handle->workspace = workspace;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT const char *cublasGetStatusName(cublasStatus_t status)
{
	static const char *const STATUS[] = { [CUBLAS_STATUS_SUCCESS] = "CUBLAS_STATUS_SUCCESS",
		[CUBLAS_STATUS_NOT_INITIALIZED] = "CUBLAS_STATUS_NOT_INITIALIZED",
		[CUBLAS_STATUS_ALLOC_FAILED] = "CUBLAS_STATUS_ALLOC_FAILED",
		[CUBLAS_STATUS_INVALID_VALUE] = "CUBLAS_STATUS_INVALID_VALUE",
		[CUBLAS_STATUS_EXECUTION_FAILED] = "CUBLAS_STATUS_EXECUTION_FAILED",
		[CUBLAS_STATUS_NOT_SUPPORTED] = "CUBLAS_STATUS_NOT_SUPPORTED" };

	if ((size_t)status < sizeof(STATUS) / sizeof(STATUS[0]) && STATUS[status])
		return STATUS[status];
	return "unknown";
}

EXPORT const char *cublasGetStatusString(cublasStatus_t status)
{
	return cublasGetStatusName(status);
}
