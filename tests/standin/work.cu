/*
 * The work that tests/standin_*.sh run on the stand-ins: an ordinary CUDA program, built
 * by nvcc. Prints TAP about its results, then lines "expect WHAT NUMBER": what CUPTI must
 * have seen of it.
 */
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct scaling {
	float factor[5];
	char pad;
};

__constant__ float offset;

#define BODY __host__ __device__ static inline
BODY void add_at(size_t i, const float *a, const float *b, float *c)
{
	c[i] = a[i] + b[i];
}
template <typename T> BODY void scale_at(size_t i, T *x, const scaling &s)
{
	x[i] = x[i] * s.factor[4] + offset;
}

extern "C" __global__ void add(size_t n, const float *a, const float *b, float *c)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (i < n)
		add_at(i, a, b, c);
}

template <typename T> __global__ void scale(char, T *x, scaling s, size_t n)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (i < n)
		scale_at(i, x, s);
}

extern "C" __global__ void nothing(int)
{
}

/* More than 4 KiB of parameters, of odd sizes: newer compilers describe these in another way. */
struct large {
	char c[5000];
};
struct odd {
	char c[3];
};
extern "C" __global__ void many(int, large, odd, double, char, long *)
{
}

/*
 * Does its work late, so that a reader that does not wait sees the old values: after
 * 30 ms, or, while the gate is closed, not before it is opened.
 */
static std::atomic<bool> closed(false);
extern "C" __global__ void slow_set(int *x, int value)
{
	*x = value;
}
extern "C" __global__ void copy_one(const int *from, int *to)
{
	*to = *from;
}

extern "C" void tacho_host_add(void **a, const unsigned *, const unsigned *)
{
	for (size_t i = 0; i < *(size_t *)a[0]; i++)
		add_at(i, *(const float **)a[1], *(const float **)a[2], *(float **)a[3]);
}

/* scale<float>, by its name in the device code. */
extern "C" void tacho_host__Z5scaleIfEvcPT_7scalingm(void **a, const unsigned *, const unsigned *)
{
	for (size_t i = 0; i < *(size_t *)a[3]; i++)
		scale_at(i, *(float **)a[1], *(scaling *)a[2]);
}

/* Waits for a second one that runs at the same time. */
extern "C" __global__ void meet(int *)
{
}
static std::atomic<int> met(0);

extern "C" void tacho_host_meet(void **a, const unsigned *, const unsigned *)
{
	met++;
	for (int i = 0; i < 1000 && met < 2; i++)
		usleep(10000);
	__atomic_store_n(*(int **)a[0], met, __ATOMIC_RELAXED);
}

extern "C" void tacho_host_slow_set(void **a, const unsigned *, const unsigned *)
{
	do
		usleep(30000);
	while (closed);
	**(int **)a[0] = *(int *)a[1];
}

extern "C" void tacho_host_many(void **a, const unsigned *grid, const unsigned *block)
{
	const large *l = (large *)a[1];

	**(long **)a[5] = *(int *)a[0] + l->c[0] + l->c[4999] + ((odd *)a[2])->c[2] +
		(long)(*(double *)a[3]) + *(char *)a[4] + 10000 * grid[0] * grid[1] * grid[2] +
		block[0];
}

extern "C" void tacho_host_copy_one(void **a, const unsigned *, const unsigned *)
{
	**(int **)a[1] = **(int **)a[0];
}

static int number;
static long kernels, h2d, d2h, d2d, p2p, sets, bytes;

static void ok(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
}

static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("Bail out! %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}
#define DO(call) must(call, #call)

static void copy(void *to, const void *from, size_t n, cudaMemcpyKind kind)
{
	DO(cudaMemcpy(to, from, n, kind));
	(kind == cudaMemcpyHostToDevice ? h2d : kind == cudaMemcpyDeviceToHost ? d2h : d2d)++;
	bytes += n;
}

static void results()
{
	const size_t n = 1000;
	std::vector<float> a(n), b(n), c(n);
	float *da, *db, *dc, two = 2;
	scaling s = { { 0, 0, 0, 0, 3 }, 'x' };
	bool good = true;

	for (size_t i = 0; i < n; i++)
		a[i] = i, b[i] = 0.5f;
	DO(cudaMalloc(&da, n * 4));
	DO(cudaMalloc(&db, n * 4));
	DO(cudaMalloc(&dc, n * 4));
	copy(da, a.data(), n * 4, cudaMemcpyHostToDevice);
	copy(db, b.data(), n * 4, cudaMemcpyHostToDevice);
	DO(cudaMemcpyToSymbol(offset, &two, 4));
	h2d++, bytes += 4;
	add<<<(n + 127) / 128, 128>>>(n, da, db, dc);
	scale<float><<<(n + 127) / 128, 128>>>('q', dc, s, n);
	kernels += 2;
	s.factor[4] = 100; /* the launch has its own copy */
	copy(c.data(), dc, n * 4, cudaMemcpyDeviceToHost);
	for (size_t i = 0; i < n; i++)
		good = good && c[i] == (a[i] + b[i]) * 3 + 2;
	ok(good, "kernels compute with the arguments that they were launched with");
	ok(cudaGetLastError() == cudaSuccess, "no error is left");
	DO(cudaFree(da));
	DO(cudaFree(db));
	DO(cudaFree(dc));
}

static void parameters()
{
	large l = {};
	odd o = { { 1, 2, 30 } };
	long *sum, host;

	l.c[0] = 1, l.c[4999] = 2;
	DO(cudaMalloc(&sum, sizeof(*sum)));
	many<<<dim3(2, 3, 4), 5>>>(1000, l, o, 200.5, 'z', sum);
	copy(&host, sum, sizeof(host), cudaMemcpyDeviceToHost);
	ok(host == 1000 + 1 + 2 + 30 + 200 + 'z' + 10000 * 24 + 5,
		"large and odd parameters arrive, and the launch's shape");
	nothing<<<1, 2000>>>(1);
	ok(cudaGetLastError() == cudaErrorInvalidConfiguration,
		"a block that is too large is refused");
	kernels++;
	DO(cudaFree(sum));
}

static int one_value(int *device)
{
	int host = -1;

	copy(&host, device, sizeof(host), cudaMemcpyDeviceToHost);
	return host;
}

static void orders()
{
	cudaStream_t s1, s2, apart;
	cudaEvent_t event, begin, end;
	int *x, *y, *z, seen;
	float ms;

	DO(cudaStreamCreate(&s1));
	DO(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
	DO(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
	DO(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	DO(cudaEventCreate(&begin));
	DO(cudaEventCreate(&end));
	DO(cudaMalloc(&x, 4));
	DO(cudaMalloc(&y, 4));
	DO(cudaMalloc(&z, 4));
	DO(cudaMemset(x, 0, 4));
	DO(cudaMemset(y, 0, 4));
	DO(cudaMemset(z, 0, 4));
	DO(cudaDeviceSynchronize());
	closed = true;
	DO(cudaEventRecord(begin, s1));
	slow_set<<<1, 1, 0, s1>>>(x, 7);
	DO(cudaEventRecord(event, s1));
	copy_one<<<1, 1, 0, apart>>>(x, z);
	DO(cudaStreamWaitEvent(s2, event, 0));
	copy_one<<<1, 1, 0, s2>>>(x, y);
	DO(cudaEventRecord(end, s2));
	ok(cudaEventQuery(end) == cudaErrorNotReady, "launches do not wait for the work");
	DO(cudaStreamSynchronize(apart));
	DO(cudaMemcpyAsync(&seen, z, 4, cudaMemcpyDeviceToHost, apart));
	DO(cudaStreamSynchronize(apart));
	ok(seen == 0, "a non-blocking stream does not wait for another one");
	closed = false;
	DO(cudaEventSynchronize(end));
	DO(cudaEventElapsedTime(&ms, begin, end));
	ok(ms >= 30, "events measure the work between them");
	ok(one_value(y) == 7, "a stream waits for another one's event");
	DO(cudaMemset(x, 0, 4));
	slow_set<<<1, 1, 0, s1>>>(x, 8);
	copy_one<<<1, 1>>>(x, z);
	copy_one<<<1, 1, 0, s1>>>(z, y);
	ok(one_value(y) == 8, "the default stream waits for blocking streams, and they for it");
	kernels += 6, sets += 4, d2h++, bytes += 4 + 16;
	DO(cudaStreamDestroy(s1));
	DO(cudaStreamDestroy(s2));
	DO(cudaStreamDestroy(apart));
	for (cudaEvent_t e : { event, begin, end })
		DO(cudaEventDestroy(e));
	DO(cudaFree(x));
	DO(cudaFree(y));
	DO(cudaFree(z));
}

static void copies()
{
	const size_t n = 1 << 20;
	std::vector<char> from(n, 3);
	char *pinned, *device, *second, *managed;
	cudaPointerAttributes about;
	cudaStream_t stream;
	int devices;

	DO(cudaGetDeviceCount(&devices));
	DO(cudaStreamCreate(&stream));
	DO(cudaMallocHost(&pinned, n));
	DO(cudaMalloc(&device, n));
	DO(cudaMallocManaged(&managed, 64));
	DO(cudaMemcpyAsync(device, from.data(), n, cudaMemcpyHostToDevice, stream));
	memset(from.data(), 4, n); /* the pageable copy has been made */
	DO(cudaMemcpyAsync(pinned, device, n, cudaMemcpyDeviceToHost, stream));
	DO(cudaStreamSynchronize(stream));
	ok(pinned[0] == 3 && pinned[n - 1] == 3,
		"an asynchronous copy from pageable memory waits for it");
	h2d++, d2h++, bytes += 2 * n;
	DO(cudaPointerGetAttributes(&about, pinned + 5));
	ok(about.type == cudaMemoryTypeHost, "pinned memory is known");
	DO(cudaPointerGetAttributes(&about, device + 5));
	ok(about.type == cudaMemoryTypeDevice && about.device == 0, "device memory is known");
	DO(cudaPointerGetAttributes(&about, managed));
	ok(about.type == cudaMemoryTypeManaged, "managed memory is known");
	DO(cudaPointerGetAttributes(&about, from.data()));
	ok(about.type == cudaMemoryTypeUnregistered, "other memory is not");
	if (devices > 1) {
		DO(cudaSetDevice(1));
		DO(cudaMalloc(&second, n));
		DO(cudaSetDevice(0));
		DO(cudaMemcpyPeerAsync(second, 1, device, 0, n, stream));
		DO(cudaStreamSynchronize(stream));
		ok(second[n - 1] == 3, "devices copy to each other");
		p2p++, bytes += n;
		DO(cudaFree(second));
	}
	DO(cudaFree(device));
	DO(cudaFree(managed));
	DO(cudaFreeHost(pinned));
	DO(cudaStreamDestroy(stream));
}

static void graphs()
{
	cudaStream_t stream, side;
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	size_t nodes;
	int *x, *y, *z;

	DO(cudaMalloc(&z, 4));
	DO(cudaStreamCreate(&stream));
	DO(cudaStreamCreate(&side));
	DO(cudaEventCreate(&fork));
	DO(cudaEventCreate(&join));
	DO(cudaMalloc(&x, 4));
	DO(cudaMalloc(&y, 4));
	DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	DO(cudaMemsetAsync(x, 0, 4, stream));
	DO(cudaEventRecord(fork, stream));
	DO(cudaStreamWaitEvent(side, fork, 0));
	slow_set<<<1, 1, 0, side>>>(x, 5);
	DO(cudaEventRecord(join, side));
	DO(cudaStreamWaitEvent(stream, join, 0));
	copy_one<<<1, 1, 0, stream>>>(x, y);
	DO(cudaEventRecord(fork, stream));
	DO(cudaStreamWaitEvent(side, fork, 0));
	meet<<<1, 1, 0, side>>>(x);
	meet<<<1, 1, 0, stream>>>(x);
	DO(cudaEventRecord(join, side));
	DO(cudaStreamWaitEvent(stream, join, 0));
	copy_one<<<1, 1, 0, stream>>>(x, z);
	ok(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported,
		"a captured stream cannot be waited for");
	cudaGetLastError();
	DO(cudaStreamEndCapture(stream, &graph));
	DO(cudaGraphGetNodes(graph, nullptr, &nodes));
	ok(nodes == 6, "work of joined streams becomes nodes of the graph");
	DO(cudaGraphInstantiate(&exec, graph, 0));
	DO(cudaGraphDestroy(graph));
	for (int i = 0; i < 3; i++) {
		met = 0;
		DO(cudaGraphLaunch(exec, stream));
		DO(cudaStreamSynchronize(stream));
	}
	ok(one_value(y) == 5, "a graph runs in the order of its dependencies");
	ok(one_value(z) == 2, "its branches run side by side");
	kernels += 15, sets += 3, bytes += 12;
	printf("expect graphkernels 15\n");
	DO(cudaGraphExecDestroy(exec));
	DO(cudaEventDestroy(fork));
	DO(cudaEventDestroy(join));
	DO(cudaFree(z));
	DO(cudaFree(x));
	DO(cudaFree(y));
	DO(cudaStreamDestroy(stream));
	DO(cudaStreamDestroy(side));
}

static void threads(int count, int launches)
{
	std::vector<std::thread> all;

	for (int t = 0; t < count; t++)
		all.emplace_back([=] {
			cudaStream_t stream;

			DO(cudaStreamCreate(&stream));
			for (int i = 0; i < launches; i++)
				nothing<<<3, 64, 0, stream>>>(i);
			DO(cudaStreamSynchronize(stream));
			DO(cudaStreamDestroy(stream));
		});
	for (auto &t : all)
		t.join();
	kernels += count * launches;
}

/* A child cannot go on with what its parent began; one that begins itself can. */
static void forks()
{
	void *memory;
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		bool refused = cudaMalloc(&memory, 4) == cudaErrorInitializationError;

		_exit(refused && cudaDeviceSynchronize() == cudaErrorInitializationError ? 0 : 1);
	}
	waitpid(child, &status, 0);
	ok(status == 0, "a forked child is refused, and does not hang");
}

int main(int argc, char **argv)
{
	int launches = argc > 1 ? atoi(argv[1]) : 500;
	cudaDeviceProp prop;

	DO(cudaGetDeviceProperties(&prop, 0));
	ok(strstr(prop.name, "stand-in") != nullptr, "the device says that it is a stand-in");
	results();
	parameters();
	orders();
	copies();
	graphs();
	threads(4, launches);
	forks();
	DO(cudaDeviceSynchronize());
	ok(cudaSetDevice(99) == cudaErrorInvalidDevice &&
			cudaGetLastError() == cudaErrorInvalidDevice,
		"a device that is not there is refused");
	printf("1..%d\n", number);
	printf("expect kernels %ld\nexpect h2d %ld\nexpect d2h %ld\nexpect d2d %ld\nexpect p2p "
	       "%ld\n",
		kernels, h2d, d2h, d2d, p2p);
	printf("expect sets %ld\nexpect bytes %ld\n", sets, bytes);
	return 0;
}
