/*
 * odd.cu - what programs do to a tracer now and then, each with a truth that is known without one:
 * kernels before and after cudaDeviceReset, memory that migrates, a fork, a green context, a graph
 * that decides, kernels that kernels launch. Prints as known.cu does, or "odd: not here: WHY".
 * Usage: odd reset | managed | fork | green | conditional | nested
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda.h>
#include <cuda_runtime.h>

#define MANY  20
#define BYTES (1 << 20)

static void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "odd: %s failed: %d (%s)\n", what, error,
		cudaGetErrorString((cudaError_t)error));
	exit(1);
}

#define MUST(call) must((int)(call), #call)

static int not_here(const char *why)
{
	printf("odd: not here: %s\n", why);
	return 0;
}

extern "C" __global__ void odd_tiny(int *count)
{
	if (threadIdx.x == 0 && blockIdx.x == 0)
		++*count;
}

extern "C" void tacho_host_odd_tiny(void **args, const unsigned *, const unsigned *)
{
	++**(int **)args[0];
}

#ifdef ODD_NESTED
extern "C" __global__ void odd_child(int *count)
{
	atomicAdd(count, 1);
}

extern "C" __global__ void odd_parent(int *count)
{
	odd_child<<<1, 1>>>(count);
}
#endif

static int *counter()
{
	int *count;

	MUST(cudaMalloc(&count, sizeof(*count)));
	MUST(cudaMemset(count, 0, sizeof(*count)));
	return count;
}

static void tiny(int *count, cudaStream_t stream)
{
	for (int i = 0; i < MANY; i++)
		odd_tiny<<<1, 32, 0, stream>>>(count);
	MUST(cudaGetLastError());
	MUST(cudaStreamSynchronize(stream));
}

static int say(int launches)
{
	printf("cuda kernel odd_tiny launches %d\n", launches);
	return 0;
}

/* The context ends with what was launched in it; there is another one behind it. */
static int reset()
{
	tiny(counter(), 0);
	MUST(cudaDeviceReset());
	tiny(counter(), 0);
	return say(2 * MANY);
}

/* Pages migrate: that is neither a copy nor a kernel of the program's. */
static int managed()
{
	int *count;

	MUST(cudaMallocManaged(&count, BYTES));
	memset(count, 0, BYTES);
	for (int i = 0; i < MANY; i++) {
		odd_tiny<<<1, 32>>>(count);
		MUST(cudaDeviceSynchronize());
		if (*count != i + 1)
			return 1;
	}
	return say(MANY);
}

static int forks()
{
	int *count = counter(), status = 1;
	pid_t child;

	tiny(count, 0);
	child = fork();
	if (!child)
		_exit(cudaFree(0) == cudaSuccess); /* CUDA does not work here */
	waitpid(child, &status, 0);
	tiny(count, 0);
	say(2 * MANY);
	return status != 0;
}

/* Some of the device's multiprocessors, with streams of their own. */
static int green()
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	CUdevResource all = {}, part = {};
	CUdevResourceDesc description;
	CUgreenCtx context;
	CUcontext usual;
	CUstream stream;
	unsigned n = 1;

	MUST(cudaFree(0));
	driver = driver ? driver : dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
#define DRIVER(name) auto *p_##name = (decltype(&name))(driver ? dlsym(driver, #name) : nullptr)
	DRIVER(cuDeviceGetDevResource);
	DRIVER(cuDevSmResourceSplitByCount);
	DRIVER(cuDevResourceGenerateDesc);
	DRIVER(cuGreenCtxCreate);
	DRIVER(cuCtxFromGreenCtx);
	DRIVER(cuGreenCtxStreamCreate);
	DRIVER(cuCtxSetCurrent);
	if (!p_cuGreenCtxStreamCreate || !p_cuDevSmResourceSplitByCount ||
		!p_cuDeviceGetDevResource)
		return not_here("the driver has no green contexts");
	MUST(p_cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	if (p_cuDevSmResourceSplitByCount(&part, &n, &all, nullptr, 0, 8))
		return not_here("the device cannot be split");
	MUST(p_cuDevResourceGenerateDesc(&description, &part, 1));
	MUST(p_cuGreenCtxCreate(&context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	MUST(p_cuCtxFromGreenCtx(&usual, context));
	MUST(p_cuCtxSetCurrent(usual));
	MUST(p_cuGreenCtxStreamCreate(&stream, context, CU_STREAM_NON_BLOCKING, 0));
	tiny(counter(), (cudaStream_t)stream);
	return say(MANY);
}

/* The body of a node that runs if a number is not 0, which it is not. */
static int conditional()
{
#if CUDART_VERSION >= 13000
	auto *create = (decltype(&cudaGraphConditionalHandleCreate))dlsym(RTLD_DEFAULT,
		"cudaGraphConditionalHandleCreate");
	auto *add = (cudaError_t(*)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
		const cudaGraphEdgeData *, size_t, cudaGraphNodeParams *))dlsym(RTLD_DEFAULT,
		"cudaGraphAddNode");
	int *count = counter();
	cudaGraphNodeParams node = {}, kernel = {};
	cudaGraphNode_t made;
	cudaGraphExec_t exec;
	cudaGraph_t graph, body;
	void *args[] = { &count };

	if (!create || !add)
		return not_here("the runtime has no conditional nodes");
	MUST(cudaGraphCreate(&graph, 0));
	node.type = cudaGraphNodeTypeConditional;
	MUST(create(&node.conditional.handle, graph, 1, cudaGraphCondAssignDefault));
	node.conditional.type = cudaGraphCondTypeIf;
	node.conditional.size = 1;
	MUST(add(&made, graph, nullptr, nullptr, 0, &node));
	body = node.conditional.phGraph_out[0];
	kernel.type = cudaGraphNodeTypeKernel;
	kernel.kernel.func = (void *)odd_tiny;
	kernel.kernel.gridDim = dim3(1);
	kernel.kernel.blockDim = dim3(32);
	kernel.kernel.kernelParams = args;
	MUST(add(&made, body, nullptr, nullptr, 0, &kernel));
	MUST(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < MANY; i++)
		MUST(cudaGraphLaunch(exec, 0));
	MUST(cudaDeviceSynchronize());
	return say(MANY);
#else
	return not_here("this CUDA has no conditional nodes of the newer kind");
#endif
}

static int nested()
{
#ifdef ODD_NESTED
	int *count = counter();

	tiny(count, 0);
	for (int i = 0; i < MANY; i++)
		odd_parent<<<1, 1>>>(count);
	MUST(cudaGetLastError());
	MUST(cudaDeviceSynchronize());
	tiny(count, 0);
	printf("cuda kernel odd_parent launches %d\n", MANY);
	return say(2 * MANY);
#else
	return not_here("it was built without kernels that launch kernels");
#endif
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)();
	} modes[] = { { "reset", reset }, { "managed", managed }, { "fork", forks },
		{ "green", green }, { "conditional", conditional }, { "nested", nested } };

	for (const auto &mode : modes)
		if (argc > 1 && !strcmp(argv[1], mode.name))
			return mode.run();
	fprintf(stderr, "usage: odd reset | managed | fork | green | conditional | nested\n");
	return 2;
}
