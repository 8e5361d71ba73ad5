/*
 * known.cu - work on a GPU whose truth is known without any tracer: kernels that last as long as
 * they are given, timed by CUDA's own events; copies and memsets of given sizes from every kind of
 * memory; a graph; several streams; a thread of its own, and a hundred that launch at once. Prints
 * it in the manner of the trainer's --truth:
 *	cuda kernel known_spin launches 20 event_ns 41234567
 *	cuda copy h2d calls 12 bytes 3456
 * Usage: known [MODE]
 *	hang		after small kernels one hangs, others run next to it; says "ready" and waits
 *	slow SECONDS	one kernel lasts so long, small ones before and after it
 *	lasts N SECONDS	N kernels that last so long each
 *	pageable N	N copies of 64 MiB from memory that is not pinned, with what they take: "pageable gbs 9.1"
 *	exec		is replaced by another program right after its graphs
 *	launches N	says how long a launch takes: "launch ns 2345", the median of N
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

#include <cuda_runtime.h>

#define SPINS	       20
#define SPIN_NS	       2000000
#define MANY	       1000
#define THREADS	       100
#define THREAD_MANY    40
#define WARM_UP	       10
#define GRAPH_NODES    5
#define GRAPH_LAUNCHES 10

static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "known: %s failed: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

#define MUST(call) must(call, #call)

extern "C" __global__ void known_spin(unsigned long long ns)
{
	unsigned long long start, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - start < ns);
}

/* The same, for what is not timed. */
extern "C" __global__ void known_warm(unsigned long long ns)
{
	unsigned long long start, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - start < ns);
}

extern "C" __global__ void known_thread(int *count)
{
	if (threadIdx.x == 0 && blockIdx.x == 0)
		++*count;
}

extern "C" __global__ void known_tiny(int *count)
{
	if (threadIdx.x == 0 && blockIdx.x == 0)
		++*count;
}

extern "C" __global__ void known_node(int *count)
{
	if (threadIdx.x == 0 && blockIdx.x == 0)
		++*count;
}

/* What stand-ins run instead (tests/standin/README.md). */
extern "C" void tacho_host_known_spin(void **args, const unsigned *, const unsigned *)
{
	timespec t;
	unsigned long long end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end = t.tv_sec * 1000000000ull + t.tv_nsec + *(unsigned long long *)args[0];
	do {
		timespec nap = { 0, *(unsigned long long *)args[0] > 100000000 ? 1000000 : 0 };

		if (nap.tv_nsec) /* a long one shall not take a core */
			nanosleep(&nap, nullptr);
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec * 1000000000ull + t.tv_nsec < end);
}

extern "C" void tacho_host_known_warm(void **args, const unsigned *grid, const unsigned *block)
{
	tacho_host_known_spin(args, grid, block);
}

extern "C" void tacho_host_known_thread(void **, const unsigned *, const unsigned *)
{
}

extern "C" void tacho_host_known_tiny(void **args, const unsigned *, const unsigned *)
{
	++**(int **)args[0];
}

extern "C" void tacho_host_known_node(void **args, const unsigned *, const unsigned *)
{
	++**(int **)args[0];
}

/*
 * Each between two events: their distance holds the kernel and little more. The first launches of a
 * kernel load its code: those are not timed.
 */
static void spin()
{
	cudaEvent_t before, after;
	double ns = 0;

	for (int i = 0; i < WARM_UP; i++)
		known_warm<<<1, 1>>>(SPIN_NS / 100);
	MUST(cudaDeviceSynchronize());

	MUST(cudaEventCreate(&before));
	MUST(cudaEventCreate(&after));
	for (int i = 0; i < SPINS; i++) {
		float ms;

		MUST(cudaEventRecord(before));
		known_spin<<<1, 1>>>(SPIN_NS);
		MUST(cudaEventRecord(after));
		MUST(cudaEventSynchronize(after));
		MUST(cudaEventElapsedTime(&ms, before, after));
		ns += ms * 1e6;
	}
	MUST(cudaGetLastError());
	printf("cuda kernel known_spin launches %d event_ns %.0f\n", SPINS, ns);
}

/* From a second thread, on streams that wait for each other. */
static void many(int *count)
{
	cudaStream_t streams[2];
	cudaEvent_t done;

	MUST(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking));
	MUST(cudaStreamCreate(&streams[1]));
	MUST(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	for (int i = 0; i < MANY; i++) {
		MUST(cudaStreamWaitEvent(streams[i % 2], done, 0));
		known_tiny<<<4, 64, 0, streams[i % 2]>>>(count);
		MUST(cudaEventRecord(done, streams[i % 2]));
	}
	MUST(cudaStreamSynchronize(streams[(MANY - 1) % 2]));
	printf("cuda kernel known_tiny launches %d\n", MANY);
}

/* Each thread that launches may fill a buffer of its own in CUPTI. */
static void threads(int *count)
{
	std::vector<std::thread> all;

	for (int i = 0; i < THREADS; i++)
		all.emplace_back([count] {
			for (int k = 0; k < THREAD_MANY; k++)
				known_thread<<<1, 32>>>(count);
		});
	for (std::thread &thread : all)
		thread.join();
	MUST(cudaDeviceSynchronize());
	printf("cuda kernel known_thread launches %d\n", THREADS * THREAD_MANY);
}

static void tiny(int *count, cudaStream_t stream)
{
	for (int i = 0; i < 20; i++)
		known_tiny<<<1, 32, 0, stream>>>(count);
	MUST(cudaStreamSynchronize(stream));
}

/* Kernels before, next to and (but for a hang) after one that lasts long. */
static void lasting(int *count, double seconds)
{
	cudaStream_t one, other;

	MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	tiny(count, one);
	known_spin<<<1, 1, 0, one>>>((unsigned long long)(seconds * 1e9));
	tiny(count, other);
	printf("cuda kernel known_tiny launches 40\nready\n");
	fflush(stdout);
	MUST(cudaStreamSynchronize(one));
	printf("cuda kernel known_spin launches 1\n");
}

static void lasts(int n, double seconds)
{
	cudaEvent_t before, after;
	float ms;

	known_warm<<<1, 1>>>(SPIN_NS / 100);
	MUST(cudaEventCreate(&before));
	MUST(cudaEventCreate(&after));
	MUST(cudaDeviceSynchronize());
	MUST(cudaEventRecord(before));
	for (int i = 0; i < n; i++)
		known_spin<<<1, 1>>>((unsigned long long)(seconds * 1e9));
	MUST(cudaEventRecord(after));
	MUST(cudaEventSynchronize(after));
	MUST(cudaEventElapsedTime(&ms, before, after));
	printf("cuda kernel known_spin launches %d event_ns %.0f\n", n, ms * 1e6);
	printf("cuda memset calls 1 bytes %zu\n", sizeof(int));
}

static void pageable(int n)
{
	size_t bytes = 64u << 20;
	char *from = (char *)malloc(bytes), *to;
	struct timespec begin, end;
	double ns;

	if (!from)
		abort();
	memset(from, 1, bytes);
	MUST(cudaMalloc(&to, bytes));
	MUST(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 1; i < n; i++)
		MUST(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
	clock_gettime(CLOCK_MONOTONIC, &end);
	ns = 1e9 * (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec);
	printf("cuda copy h2d calls %d bytes %zu\npageable gbs %.2f\n", n, n * bytes,
		(double)(n - 1) * (double)bytes / ns);
	free(from);
}

static void launches(int *count, int n)
{
	std::vector<double> ns;

	for (int i = 0; i < n; i++) {
		timespec a, b;

		clock_gettime(CLOCK_MONOTONIC, &a);
		known_tiny<<<1, 32>>>(count);
		clock_gettime(CLOCK_MONOTONIC, &b);
		ns.push_back((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec));
		if (i % 100 == 99)
			MUST(cudaDeviceSynchronize());
	}
	MUST(cudaDeviceSynchronize());
	std::nth_element(ns.begin(), ns.begin() + n / 2, ns.end());
	printf("launch ns %.0f\n", ns[n / 2]);
}

static void graph(int *count)
{
	cudaStream_t stream;
	cudaGraph_t captured;
	cudaGraphExec_t exec;

	MUST(cudaStreamCreate(&stream));
	MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < GRAPH_NODES; i++)
		known_node<<<1, 32, 0, stream>>>(count);
	MUST(cudaStreamEndCapture(stream, &captured));
	MUST(cudaGraphInstantiate(&exec, captured, 0));
	for (int i = 0; i < GRAPH_LAUNCHES; i++)
		MUST(cudaGraphLaunch(exec, stream));
	MUST(cudaStreamSynchronize(stream));
	printf("cuda kernel known_node launches %d\n", GRAPH_NODES * GRAPH_LAUNCHES);
	printf("cuda graph launches %d\n", GRAPH_LAUNCHES);
}

static const size_t sizes[] = { 4, 1000, 65536, 1 << 20, 16 << 20 };

#define SIZES (sizeof(sizes) / sizeof(*sizes))

static void copies()
{
	size_t largest = sizes[SIZES - 1], bytes = 0;
	char *pinned, *pageable = (char *)calloc(1, largest), *a, *b;

	MUST(cudaMallocHost(&pinned, largest));
	MUST(cudaMalloc(&a, largest));
	MUST(cudaMalloc(&b, largest));
	for (size_t size : sizes) {
		bytes += size;
		MUST(cudaMemcpy(a, pinned, size, cudaMemcpyHostToDevice));
		MUST(cudaMemcpyAsync(a, pageable, size, cudaMemcpyHostToDevice, 0));
		MUST(cudaMemcpy(b, a, size, cudaMemcpyDeviceToDevice));
		MUST(cudaMemcpyAsync(pinned, b, size, cudaMemcpyDeviceToHost, 0));
		MUST(cudaMemcpy(pageable, b, size, cudaMemcpyDeviceToHost));
		MUST(cudaMemsetAsync(b, 1, size, 0));
	}
	MUST(cudaDeviceSynchronize());
	printf("cuda copy h2d calls %zu bytes %zu\n", 2 * SIZES, 2 * bytes);
	printf("cuda copy d2h calls %zu bytes %zu\n", 2 * SIZES, 2 * bytes);
	printf("cuda copy d2d calls %zu bytes %zu\n", SIZES, bytes);
	printf("cuda memset calls %zu bytes %zu\n", SIZES + 1, bytes + sizeof(int));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int *count;

	MUST(cudaMalloc(&count, sizeof(*count)));
	MUST(cudaMemset(count, 0, sizeof(*count)));
	if (!strcmp(mode, "hang") || !strcmp(mode, "slow")) {
		lasting(count, argc > 2 ? atof(argv[2]) : 1e6);
		return 0;
	}
	if (!strcmp(mode, "lasts") && argc > 3) {
		lasts(atoi(argv[2]), atof(argv[3]));
		return 0;
	}
	if (!strcmp(mode, "pageable") && argc > 2) {
		pageable(atoi(argv[2]));
		return 0;
	}
	if (!strcmp(mode, "launches")) {
		launches(count, argc > 2 ? atoi(argv[2]) : 10000);
		return 0;
	}
	if (!strcmp(mode, "exec")) {
		graph(count);
		printf("cuda memset calls 1 bytes %zu\n", sizeof(int));
		fflush(stdout);
		execl("/bin/true", "true", (char *)nullptr);
		return 1;
	}
	spin();
	std::thread(many, count).join();
	threads(count);
	graph(count);
	copies();
	return 0;
}
