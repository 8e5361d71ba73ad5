/*
 * A training loop on a GPU that says what it did: tests/cupti_*.sh record it on the
 * stand-ins and compare. Usage: loop STEPS KERNELS [MODE]
 *
 *	fork	a child is forked in the middle, reads a file and leaves by _exit
 *	hold	after the last step it says "ready" and goes on until it is killed
 *	exec	after an exec that fails is replaced by another program at once
 *	_exit	leaves by _exit at once
 *	apart	copies go to the second device, which is never the thread's then
 *	graph	the kernels of a step are a graph
 *	guest	the profiler in PyTorch has the middle half of the steps: it subscribes, enables kernels
 *		and copies with its own buffers, disables them, and fetches; twice. guest_clock: by its own clock
 *	scoped	the same by cuptiSubscribe_v2 and the calls that name a subscriber, which it leaves after each
 *		turn; scoped_solo: it does not allow others
 *	idle	after the last step it says "ready" and waits for a signal
 *	late	behind the steps a kernel waits for 2.5 s, as NCCL's does for a late rank, and six last 300 ms
 *	rival	another tool asks for CUPTI, as the profiler in PyTorch does
 *	rival_found	the same, of functions that it finds by dlopen and dlsym
 *	rival_busy	rival, while a kernel runs
 *	stuck	after the last step a kernel hangs, others of another stream run, and it says
 *		"ready" and waits
 *	threads	four threads launch, each on a stream of its own
 *	threads100	a hundred threads launch in turns of the compute stream
 *	unmarked, unmarked_graph	steps are not marked; their kernels are a graph
 *	elsewhere	nor are they, and a thread launches that is not the main thread
 *	wakes	wakes nobody, twice before each launch, as an interpreter does with its lock
 */
#include <cuda_runtime.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

#define ELEMENTS 1000

extern "C" __global__ void half(size_t n, float *x)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (i < n)
		x[i] /= 2;
}

extern "C" void tacho_host_half(void **a, const unsigned *, const unsigned *)
{
	for (size_t i = 0; i < *(size_t *)a[0]; i++)
		(*(float **)a[1])[i] /= 2;
}

/* Hangs until the process ends. */
extern "C" __global__ void stuck(volatile int *x)
{
	while (!*x)
		;
}

extern "C" void tacho_host_stuck(void **, const unsigned *, const unsigned *)
{
	for (;;)
		pause();
}

/* Lasts 300 ms. */
extern "C" __global__ void slow(volatile int *x)
{
	for (long long since = clock64(); clock64() - since < 500000000;)
		*x = 0;
}

extern "C" void tacho_host_slow(void **, const unsigned *, const unsigned *)
{
	usleep(300000);
}

/* Lasts 2.5 s. */
extern "C" __global__ void late(volatile int *x)
{
	for (int i = 0; i < 8; i++)
		for (long long since = clock64(); clock64() - since < 500000000;)
			*x = 0;
}

extern "C" void tacho_host_late(void **, const unsigned *, const unsigned *)
{
	usleep(2500000);
}

static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "loop: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}
#define DO(call) must(call, #call)

static cudaStream_t compute, copies;
static cudaEvent_t copied;
static cudaGraphExec_t graph;
static float *device, *pinned, pageable[ELEMENTS];
static int steps, kernels;
static const char *mode = "";

static bool is(const char *name)
{
	return strcmp(mode, name) == 0;
}

static void wake()
{
	static pthread_cond_t taken = PTHREAD_COND_INITIALIZER, free = PTHREAD_COND_INITIALIZER;

	pthread_cond_signal(&taken);
	pthread_cond_signal(&free);
	for (volatile int i = 0; i < 2000; i = i + 1)
		;
}

static void launches(cudaStream_t stream)
{
	for (int i = 0; i < kernels; i++) {
		if (is("wakes"))
			wake();
		half<<<4, 256, 0, stream>>>(ELEMENTS, device);
	}
	DO(cudaGetLastError());
}

static void graph_make()
{
	cudaGraph_t captured;

	DO(cudaStreamBeginCapture(compute, cudaStreamCaptureModeThreadLocal));
	launches(compute);
	DO(cudaStreamEndCapture(compute, &captured));
	DO(cudaGraphInstantiate(&graph, captured, 0));
	DO(cudaGraphDestroy(captured));
}

static void child()
{
	pid_t pid = fork();

	if (pid == 0) {
		char text[16];
		int fd = open("/proc/self/comm", O_RDONLY);

		_exit(read(fd, text, sizeof(text)) > 0 ? 0 : 1);
	}
	waitpid(pid, nullptr, 0);
}

/* The answer that a rival gets, of the functions in a library. */
static void rival(void *cupti)
{
	int (*subscribe)(void **, void (*)(), void *) = (int (*)(void **, void (*)(),
		void *))dlsym(cupti, "cuptiActivityRegisterCallbacks");
	int (*disable)(int) = (int (*)(int))dlsym(cupti, "cuptiActivityDisable");
	int (*enable)(int) = (int (*)(int))dlsym(cupti, "cuptiActivityEnable");

	printf("rival %d %d %d\n",
		subscribe ? subscribe((void **)rival, (void (*)())rival, nullptr) : -1,
		enable ? enable(0) : -1, disable ? disable(10) : -1);
}

/* What the profiler in PyTorch does, by its order of calls; 4,096 records of 200 bytes are enough. */
static int guest_records, guest_contexts, guest_calls;
static int (*guest_next)(uint8_t *, size_t, void **);
static void *guest_library;

static void guest_requested(uint8_t **buffer, size_t *size, size_t *most)
{
	*size = 1 << 20;
	*buffer = (uint8_t *)malloc(*size);
	memset(*buffer, 0xa5, *size);
	*most = 0;
}

static void guest_completed(void *, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
	void *record = nullptr;

	while (guest_next(buffer, valid, &record) == 0)
		guest_records += *(uint32_t *)record == 10;
	free(buffer);
}

/* It notes something from the entry to the exit of each launch, where tacho does, too. */
static void guest_callback(void *, int domain, uint32_t number, const void *data)
{
	struct call {
		int site;
		const void *other[5];
		uint32_t context;
		uint64_t *own;
	} *call = (struct call *)data;

	if (domain == 3)
		guest_contexts += number == 1;
	else if (call->site == 0)
		*call->own = 4711;
	else
		guest_calls += *call->own == 4711;
}

static uint64_t guest_now()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define CUPTI(name, ...) ((int (*)(__VA_ARGS__))dlsym(guest_library, "cupti" #name))

static int guest_begin(bool is_first)
{
	static void *subscriber;
	int error = 0;

	guest_library = dlopen("libcupti.so.13", RTLD_NOW);
	*(void **)&guest_next = dlsym(guest_library, "cuptiActivityGetNextRecord");
	if (is_first) {
		error |= CUPTI(Subscribe, void **, void (*)(void *, int, uint32_t, const void *),
			void *)(&subscriber, guest_callback, nullptr);
		error |= CUPTI(EnableCallback, uint32_t, void *, int, uint32_t)(1, subscriber, 3,
			1);
		error |= CUPTI(EnableCallback, uint32_t, void *, int, uint32_t)(1, subscriber, 2,
			211);
	}
	if (is("guest_clock"))
		error |= CUPTI(ActivityRegisterTimestampCallback, uint64_t(*)())(guest_now);
	error |= CUPTI(ActivityRegisterCallbacks, void (*)(uint8_t **, size_t *, size_t *),
		void (*)(void *, uint32_t, uint8_t *, size_t, size_t))(guest_requested,
		guest_completed);
	error |= CUPTI(ActivityEnable, int)(1);
	return error | CUPTI(ActivityEnable, int)(10);
}

/* Answers of these calls are of CUDA 13.3's CUPTI. */
struct params {
	size_t size;
	const char *name;
	char *old_name;
	size_t old_size;
	uint8_t allow_several, padding[7];
};

static void *scoped_subscriber;

static void scoped_requested(uint8_t **buffer, size_t *size, size_t *most, void *)
{
	guest_requested(buffer, size, most);
}

static void scoped_completed(uint8_t *buffer, size_t, size_t valid, void *)
{
	void *record = nullptr;

	while (CUPTI(ActivityGetNextRecord_v2, void *, uint8_t *, size_t,
		       void **)(scoped_subscriber, buffer, valid, &record) == 0)
		guest_records += *(uint32_t *)record == 10;
	free(buffer);
}

static int scoped_begin()
{
	params allow = { sizeof(params), "loop", nullptr, 0, 1, {} };
	int error;

	guest_library = dlopen("libcupti.so.13", RTLD_NOW);
	error = CUPTI(Subscribe_v2, void **, void (*)(void *, int, uint32_t, const void *), void *,
		params *)(&scoped_subscriber, guest_callback, nullptr,
		is("scoped_solo") ? nullptr : &allow);
	if (error)
		return error;
	error |= CUPTI(EnableCallback, uint32_t, void *, int, uint32_t)(1, scoped_subscriber, 2,
		211);
	error |= CUPTI(ActivityRegisterCallbacks_v2, void *,
		void (*)(uint8_t **, size_t *, size_t *, void *),
		void (*)(uint8_t *, size_t, size_t, void *))(scoped_subscriber, scoped_requested,
		scoped_completed);
	error |= CUPTI(ActivityEnable_v2, void *, int, void *)(scoped_subscriber, 1, nullptr);
	return error |
		CUPTI(ActivityEnable_v2, void *, int, void *)(scoped_subscriber, 10, nullptr);
}

static void scoped_end()
{
	CUPTI(ActivityDisable_v2, void *, int, void *)(scoped_subscriber, 1, nullptr);
	CUPTI(ActivityDisable_v2, void *, int, void *)(scoped_subscriber, 10, nullptr);
	CUPTI(ActivityFlushAll, uint32_t)(0);
	CUPTI(Unsubscribe, void *)(scoped_subscriber);
}

static bool is_scoped()
{
	return is("scoped") || is("scoped_solo");
}

static void guest_end()
{
	CUPTI(ActivityDisable, int)(1);
	CUPTI(ActivityDisable, int)(10);
	CUPTI(ActivityFlushAll, uint32_t)(0);
}

static void guest(int number)
{
	int quarter = steps / 8;

	if (number == 2 * quarter || number == 5 * quarter)
		if (int error = is_scoped() ? scoped_begin() : guest_begin(number == 2 * quarter))
			printf("guest refused %d\n", error);
	if (number == 3 * quarter || number == 6 * quarter) {
		DO(cudaDeviceSynchronize());
		if (is_scoped())
			scoped_end();
		else
			guest_end();
		printf("guest has %d kernels\n", guest_records);
	}
}

/* How many threads of a name there are, once there are at most `most` or 5 s are over. */
static int threads_named(const char *name, int most)
{
	int n = 0;

	for (int tries = 0; tries < 50 && (n > most || !tries); tries++, usleep(100000)) {
		DIR *tasks = opendir("/proc/self/task");

		n = 0;
		while (struct dirent *task = tasks ? readdir(tasks) : nullptr) {
			char path[300], text[32] = "";
			FILE *file;

			snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
			file = fopen(path, "r");
			if (file && fgets(text, sizeof(text), file))
				n += !strncmp(text, name, strlen(name));
			if (file)
				fclose(file);
		}
		if (tasks)
			closedir(tasks);
	}
	return n;
}

static bool is_graph()
{
	return is("graph") || is("unmarked_graph");
}

static void step(int number)
{
	bool marked = strncmp(mode, "unmarked", 8) != 0 && !is("elsewhere");

	if (marked)
		tacho_step_begin(number);
	DO(cudaMemcpyAsync(device, pageable, sizeof(pageable), cudaMemcpyHostToDevice, copies));
	DO(cudaMemcpyAsync(device, pinned, sizeof(pageable), cudaMemcpyHostToDevice, copies));
	DO(cudaEventRecord(copied, copies));
	DO(cudaStreamWaitEvent(compute, copied, 0));
	if (is_graph())
		DO(cudaGraphLaunch(graph, compute));
	else
		launches(compute);
	DO(cudaMemcpyAsync(pinned, device, sizeof(pageable), cudaMemcpyDeviceToHost, compute));
	DO(cudaStreamSynchronize(compute));
	if (marked)
		tacho_step_end(1);
}

/* Another thread does the steps one by one, and the main thread waits for each. */
static void elsewhere()
{
	std::condition_variable turn;
	std::mutex lock;
	int asked = 0, done = 0;
	std::thread worker([&] {
		std::unique_lock<std::mutex> held(lock);

		while (done < steps) {
			turn.wait(held, [&] { return asked > done; });
			step(done++);
			turn.notify_all();
		}
	});

	while (asked < steps) {
		std::unique_lock<std::mutex> held(lock);

		asked++;
		turn.notify_all();
		turn.wait(held, [&] { return done == asked; });
	}
	worker.join();
}

/*
 * Two streams of the second device, of which the latter is used while the first device is the
 * thread's.
 */
static cudaStream_t apart_first, apart;
static float *apart_memory;

static void apart_make()
{
	DO(cudaSetDevice(1));
	DO(cudaStreamCreateWithFlags(&apart_first, cudaStreamNonBlocking));
	DO(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
	DO(cudaMalloc(&apart_memory, sizeof(pageable)));
	DO(cudaSetDevice(0));
}

static void apart_step()
{
	DO(cudaMemcpyAsync(apart_memory, pinned, sizeof(pageable), cudaMemcpyHostToDevice, apart));
	DO(cudaStreamSynchronize(apart));
}

static void launcher()
{
	cudaStream_t own;

	DO(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
	launches(own);
	DO(cudaStreamSynchronize(own));
}

/* Behind it the record of nothing on this stream comes; the other stream goes on. */
static void hang()
{
	stuck<<<1, 1, 0, compute>>>((int *)device);
	launches(copies);
	DO(cudaStreamSynchronize(copies));
	printf("kernels %d\nready\n", (steps + 1) * kernels);
	fflush(stdout);
	DO(cudaStreamSynchronize(compute));
}

static void launcher100()
{
	launches(compute);
}

/* 5 MB at once, of which 1 MB comes from a pool, and 2 MB in the end; `device` is held, too. */
static void memory_take()
{
	void *two, *one, *again;
	size_t mb = 1 << 20;

	DO(cudaMalloc(&two, 2 * mb));
	DO(cudaMallocAsync(&one, mb, compute));
	DO(cudaMalloc(&again, 2 * mb));
	DO(cudaFree(two));
	DO(cudaFreeAsync(one, compute));
	DO(cudaStreamSynchronize(compute));
	printf("held %zu %zu\n", 5 * mb + sizeof(pageable), 2 * mb + sizeof(pageable));
}

int main(int argc, char **argv)
{
	std::thread threads[100];
	int extra = 0, nthreads, all;

	steps = argc > 1 ? atoi(argv[1]) : 3;
	kernels = argc > 2 ? atoi(argv[2]) : 10;
	mode = argc > 3 ? argv[3] : "";
	DO(cudaStreamCreate(&compute));
	DO(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
	DO(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
	DO(cudaMalloc(&device, sizeof(pageable)));
	DO(cudaMallocHost(&pinned, sizeof(pageable)));
	DO(cudaMemset(device, 0, sizeof(pageable)));
	if (is("memory"))
		memory_take();
	if (is_graph())
		graph_make();
	if (is("apart"))
		apart_make();
	if (is("elsewhere"))
		elsewhere();
	for (int i = 0; i < steps && !is("elsewhere"); i++) {
		if (i == steps / 2 && is("fork"))
			child();
		if (is("guest") || is("guest_clock") || is_scoped())
			guest(i);
		if (i == steps / 2 && is("rival_busy"))
			slow<<<1, 1, 0, copies>>>((int *)device);
		if (i == steps / 2 && (is("rival") || is("rival_busy")))
			rival(RTLD_DEFAULT);
		if (i == steps / 2 && is("rival_found"))
			rival(dlopen(CUDART_VERSION < 13000 ? "libcupti.so.12" : "libcupti.so.13",
				RTLD_NOW));
		step(i);
		if (is("apart"))
			apart_step();
	}
	nthreads = is("threads") ? 4 : is("threads100") ? 100 : 0;
	for (int i = 0; i < nthreads; i++, extra += kernels)
		threads[i] = std::thread(nthreads == 4 ? launcher : launcher100);
	for (int i = 0; i < nthreads; i++)
		threads[i].join();
	if (is("late"))
		late<<<1, 1, 0, compute>>>((int *)device);
	for (int i = 0; is("late") && i < 6; i++)
		slow<<<1, 1, 0, compute>>>((int *)device);
	DO(cudaDeviceSynchronize());
	if (is("stuck"))
		hang();
	all = steps + is("exec");
	printf("kernels %d\nh2d %d\nd2h %d\nsets 1\nbytes %zu\n", all * kernels + extra,
		(2 + is("apart")) * all, all, (3 * all + is("apart") * all + 1) * sizeof(pageable));
	fflush(stdout);
	if (is("idle")) {
		printf("ready\n");
		fflush(stdout);
		pause();
	}
	while (is("hold")) {
		printf("ready\n");
		fflush(stdout);
		for (int i = 0; i < 50; i++)
			step(steps + i);
	}
	if (is("guest") || is_scoped())
		printf("guest saw %d launches\n", guest_calls);
	if (is("rival") && getenv("TACHO_CUPTI_YIELD"))
		printf("threads %d\n", threads_named("tacho-gpu", 0));
	if (is("exec")) {
		execl("/nowhere/true", "true", nullptr);
		step(steps);
		execl("/bin/true", "true", nullptr);
	}
	if (is("_exit"))
		_exit(0);
	return 0;
}
