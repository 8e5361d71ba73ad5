/* Asks the stand-ins of cuBLAS and NVML, and compares with what must come out. Prints TAP. */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 19, N = 13, K = 33, LD = 40, BATCH = 2 };

static int number;

static void ok(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
}

static void must(int result, const char *what)
{
	if (!result)
		return;
	printf("Bail out! %s: %d\n", what, result);
	exit(1);
}
#define DO(call) must((int)(call), #call)

/* Small integers and halves: exact in every precision, and their products in single. */
static float value(int i, int j)
{
	return (float)((i * 7 + j * 3) % 17 - 8) / 2;
}

/* The bits of VALUE in half precision and in bfloat16, made by other means than in cublas.c. */
static uint16_t half_bits(float f)
{
	int exponent;
	float fraction = frexpf(fabsf(f), &exponent);

	if (f == 0)
		return 0;
	return (uint16_t)((f < 0 ? 0x8000 : 0) + (exponent + 14) * 1024 + (int)(fraction * 2048) -
		1024);
}

static uint16_t bf16_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	return (uint16_t)(bits >> 16);
}

static void put(void *to, size_t at, float f, cudaDataType type)
{
	if (type == CUDA_R_32F)
		((float *)to)[at] = f;
	else
		((uint16_t *)to)[at] = type == CUDA_R_16F ? half_bits(f) : bf16_bits(f);
}

/* c = 2·op(a)·op(b) + c for all four forms: the largest error. */
static float product_error(cublasHandle_t blas, cudaDataType type, cudaDataType c_type)
{
	static float a[BATCH * LD * LD], b[BATCH * LD * LD], c[BATCH * LD * LD];
	const float alpha = 2, beta = 1;
	float error = 0;

	for (int form = 0; form < 4; form++) {
		bool ta = form & 1, tb = form & 2;

		for (int i = 0; i < BATCH * LD * LD; i++)
			put(c, (size_t)i, 1, c_type);
		for (int s = 0; s < BATCH; s++)
			for (int i = 0; i < LD; i++)
				for (int j = 0; j < LD; j++) {
					put(a,
						(size_t)(s * LD * LD +
							(ta ? i * LD + j : j * LD + i)),
						value(i, j + s), type);
					put(b,
						(size_t)(s * LD * LD +
							(tb ? i * LD + j : j * LD + i)),
						value(j, i + s), type);
				}
		DO(cublasGemmStridedBatchedEx(blas, ta ? CUBLAS_OP_T : CUBLAS_OP_N,
			tb ? CUBLAS_OP_T : CUBLAS_OP_N, M, N, K, &alpha, a, type, LD, LD * LD, b,
			type, LD, LD * LD, &beta, c, c_type, LD, LD * LD, BATCH, CUBLAS_COMPUTE_32F,
			CUBLAS_GEMM_DEFAULT));
		DO(cudaDeviceSynchronize());
		for (int s = 0; s < BATCH; s++)
			for (int i = 0; i < M; i++)
				for (int j = 0; j < N; j++) {
					float sum = 0;

					for (int l = 0; l < K; l++)
						sum += value(i, l + s) * value(j, l + s);
					if (c_type == CUDA_R_32F) {
						error = fmaxf(error,
							fabsf(c[s * LD * LD + j * LD + i] -
								2 * sum - 1));
					} else {
						uint16_t got = ((
							uint16_t *)c)[s * LD * LD + j * LD + i];

						error = fmaxf(error, got != half_bits(2 * sum + 1));
					}
				}
	}
	return error;
}

static void ask_cublas(void)
{
	cublasHandle_t blas;
	float one = 1, *device, out[1] = { 0 };
	uint16_t *halves, rounded[2];
	const float odd[2] = { 1.00049f, 65520 }; /* between two halves, and above the largest */

	DO(cublasCreate(&blas));
	ok(product_error(blas, CUDA_R_32F, CUDA_R_32F) == 0,
		"single precision, all forms, batched");
	ok(product_error(blas, CUDA_R_16F, CUDA_R_32F) == 0, "half precision into single");
	ok(product_error(blas, CUDA_R_16BF, CUDA_R_32F) == 0, "bfloat16 into single");
	ok(product_error(blas, CUDA_R_16F, CUDA_R_16F) == 0, "half precision into half");
	DO(cudaMalloc((void **)&device, 3 * sizeof(float)));
	DO(cudaMemset(device, 0, 3 * sizeof(float)));
	DO(cudaMemcpy(device, &one, sizeof(one), cudaMemcpyHostToDevice));
	DO(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
	DO(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, device, device, 1, device, 1,
		device + 1, device + 2, 1));
	DO(cudaMemcpy(out, device + 2, sizeof(out), cudaMemcpyDeviceToHost));
	ok(out[0] == 1, "factors in device memory");
	DO(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
	DO(cudaMalloc((void **)&halves, sizeof(rounded)));
	for (int i = 0; i < 2; i++) {
		float zero = 0;

		DO(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &odd[i], device,
			CUDA_R_32F, 1, device, CUDA_R_32F, 1, &zero, halves + i, CUDA_R_16F, 1,
			CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
	}
	DO(cudaMemcpy(rounded, halves, sizeof(rounded), cudaMemcpyDeviceToHost));
	ok(rounded[0] == 0x3c01 && rounded[1] == 0x7c00,
		"results are rounded to half precision, too large ones to infinity");
	ok(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, device, CUDA_R_8I, 2, device,
		   CUDA_R_8I, 2, &one, device, CUDA_R_32I, 2, CUBLAS_COMPUTE_32I,
		   CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED,
		"what is not there is refused");
	DO(cublasDestroy(blas));
}

/* ms that a product of two matrices of SIDE columns and rows takes. */
/*
 * The shortest of up to ten, until one takes no more than `enough`: a thread that loses its core
 * takes longer.
 */
static float product_ms(cublasHandle_t blas, void *device, int side, cudaDataType type,
	float enough)
{
	const float one = 1;
	cudaEvent_t begin, end;
	float ms, shortest = INFINITY;

	DO(cudaEventCreate(&begin));
	DO(cudaEventCreate(&end));
	for (int i = 0; i < 10 && shortest > enough; i++) {
		DO(cudaEventRecord(begin, NULL));
		DO(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, device,
			type, side, device, type, side, &one, device, type, side,
			CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
		DO(cudaEventRecord(end, NULL));
		DO(cudaEventSynchronize(end));
		DO(cudaEventElapsedTime(&ms, begin, end));
		shortest = ms < shortest ? ms : shortest;
	}
	return shortest;
}

/* With STANDIN_GFLOPS=0.01: a product takes 200 ms in single precision. */
static void ask_tensor_cores(void)
{
	enum { SIDE = 100 };
	cublasHandle_t blas;
	float single, half, bf16;
	void *device;

	DO(cublasCreate(&blas));
	DO(cudaMalloc(&device, SIDE * SIDE * sizeof(float)));
	DO(cudaMemset(device, 0, SIDE * SIDE * sizeof(float)));
	single = product_ms(blas, device, SIDE, CUDA_R_32F, 250);
	half = product_ms(blas, device, SIDE, CUDA_R_16F, 150);
	bf16 = product_ms(blas, device, SIDE, CUDA_R_16BF, 150);
	ok(single >= 200 && half >= 100 && bf16 >= 100 && half < single && bf16 < single,
		"tensor cores take half as long");
	DO(cudaFree(device));
	DO(cublasDestroy(blas));
}

/* NVML has no header in the toolkit. */
typedef void *nvmlDevice_t;
int nvmlInit_v2(void);
int nvmlDeviceGetCount_v2(unsigned *);
int nvmlDeviceGetHandleByIndex_v2(unsigned, nvmlDevice_t *);
int nvmlDeviceGetHandleByUUID(const char *, nvmlDevice_t *);
int nvmlDeviceGetHandleByPciBusId_v2(const char *, nvmlDevice_t *);
int nvmlDeviceGetUUID(nvmlDevice_t, char *, unsigned);
int nvmlDeviceGetName(nvmlDevice_t, char *, unsigned);
int nvmlDeviceGetClockInfo(nvmlDevice_t, int, unsigned *);
int nvmlDeviceGetMaxClockInfo(nvmlDevice_t, int, unsigned *);
int nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned *);
int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t, unsigned long long *);
int nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t, unsigned long long *);
int nvmlDeviceGetFieldValues(nvmlDevice_t, int, void *);

static void ask_nvml(void)
{
	struct {
		unsigned field, scope;
		long long timestamp_us, latency_us;
		int type, result;
		unsigned long long value;
	} field = { .field = 138, .scope = ~0u };
	nvmlDevice_t first, second, found;
	unsigned count, clock[2], max, power;
	unsigned long long reasons, energy[2];
	char uuid[80], pci[32], name[80];

	DO(nvmlInit_v2());
	DO(nvmlDeviceGetCount_v2(&count));
	DO(nvmlDeviceGetHandleByIndex_v2(0, &first));
	DO(nvmlDeviceGetHandleByIndex_v2(1, &second));
	DO(nvmlDeviceGetName(first, name, sizeof(name)));
	ok(count == 2 && strstr(name, "stand-in"), "NVML's devices say what they are");
	DO(nvmlDeviceGetUUID(second, uuid, sizeof(uuid)));
	DO(cudaDeviceGetPCIBusId(pci, sizeof(pci), 1));
	ok(strlen(uuid) == 40 && !nvmlDeviceGetHandleByUUID(uuid, &found) && found == second &&
			!nvmlDeviceGetHandleByPciBusId_v2(pci, &found) && found == second,
		"a device is found by its uuid and by its place on the bus");
	DO(nvmlDeviceGetClockInfo(first, 1, &clock[0]));
	DO(nvmlDeviceGetClockInfo(second, 1, &clock[1]));
	DO(nvmlDeviceGetMaxClockInfo(second, 1, &max));
	DO(nvmlDeviceGetPowerUsage(second, &power));
	DO(nvmlDeviceGetCurrentClocksEventReasons(second, &reasons));
	ok(clock[0] == 1980 && clock[1] == 1290 && max == 1980 && power == 250000 && reasons == 4,
		"one device can be throttled");
	DO(nvmlDeviceGetTotalEnergyConsumption(first, &energy[0]));
	for (volatile int i = 0; i < 30000000; i++)
		;
	DO(nvmlDeviceGetTotalEnergyConsumption(first, &energy[1]));
	ok(energy[1] > energy[0], "energy adds up");
	DO(nvmlDeviceGetFieldValues(first, 1, &field));
	ok(field.result == 0 && field.value > 0, "NVLink counts where a rate is given");
}

/* With CUDA_VISIBLE_DEVICES=1. */
static void ask_visible(void)
{
	char pci[32], uuid[80];
	nvmlDevice_t first, second;
	unsigned all;
	int visible;

	DO(nvmlDeviceGetCount_v2(&all));
	DO(cudaGetDeviceCount(&visible));
	DO(cudaDeviceGetPCIBusId(pci, sizeof(pci), 0));
	DO(nvmlDeviceGetHandleByIndex_v2(1, &second));
	DO(nvmlDeviceGetHandleByPciBusId_v2(pci, &first));
	DO(nvmlDeviceGetUUID(first, uuid, sizeof(uuid)));
	ok(all == 2 && visible == 1 && first == second, "CUDA has one device and NVML two");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "visible")) {
		ask_visible();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "tensor")) {
		ask_tensor_cores();
		return 0;
	}
	if (argc < 2 || strcmp(argv[1], "nvml") != 0)
		ask_cublas();
	ask_nvml();
	printf("1..%d\n", number);
	return 0;
}
