/* What nvcc's code calls at start: kernels and variables of the program. */
#include "runtime.h"

#include <stdlib.h>
#include <vector_types.h>

struct symbol {
	struct symbol *next;
	const void *host;
	size_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct symbol *symbols;

/* nvcc's host_runtime.h declares these for C++ only. */
void **__cudaRegisterFatBinary(void *fatbin);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
	int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
	size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
	size_t size, int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
	struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);

/* The handle is a place that holds the compiler's wrapper of the fat binary. */
STANDIN_EXPORT void **__cudaRegisterFatBinary(void *fatbin)
{
	void **handle = malloc(sizeof(*handle));

	if (handle)
		*handle = fatbin;
	return handle;
}

STANDIN_EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

STANDIN_EXPORT void __cudaUnregisterFatBinary(void **handle)
{
	free(handle);
}

STANDIN_EXPORT char __cudaInitModule(void **handle)
{
	(void)handle;
	return 1;
}

STANDIN_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
	const char *name, int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
	(void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	standin_function_add(host, name, handle ? *handle : NULL);
}

/* A variable's memory on every device is the host's shadow of it. */
STANDIN_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
	int ext, size_t size, int constant, int global)
{
	struct symbol *symbol = malloc(sizeof(*symbol));

	(void)handle, (void)device, (void)name, (void)ext, (void)constant, (void)global;
	if (!symbol)
		return;
	symbol->host = host;
	symbol->size = size;
	pthread_mutex_lock(&lock);
	symbol->next = symbols;
	symbols = symbol;
	pthread_mutex_unlock(&lock);
}

STANDIN_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device,
	const char *name, int ext, size_t size, int constant, int global)
{
	void *memory = calloc(1, size);

	*host = memory;
	__cudaRegisterVar(handle, memory, device, name, ext, size, constant, global);
}

void *runtime_symbol(const void *what, size_t *size)
{
	const struct symbol *s;

	pthread_mutex_lock(&lock);
	for (s = symbols; s && s->host != what; s = s->next)
		;
	pthread_mutex_unlock(&lock);
	if (s && size)
		*size = s->size;
	return s ? (void *)(uintptr_t)s->host : NULL;
}

/* ---- <<<…>>> ---- */

static _Thread_local struct {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
} pushed[8];
static _Thread_local unsigned npushed;

STANDIN_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
	struct CUstream_st *stream)
{
	if (npushed == sizeof(pushed) / sizeof(pushed[0]))
		return 1;
	pushed[npushed].grid = grid;
	pushed[npushed].block = block;
	pushed[npushed].shared = shared;
	pushed[npushed++].stream = stream;
	return 0;
}

STANDIN_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
	void *stream)
{
	if (!npushed)
		return cudaErrorMissingConfiguration;
	npushed--;
	*grid = pushed[npushed].grid;
	*block = pushed[npushed].block;
	*shared = pushed[npushed].shared;
	*(cudaStream_t *)stream = pushed[npushed].stream;
	return cudaSuccess;
}

STANDIN_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
	*kernel = (cudaKernel_t)standin_function(stub);
	return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
