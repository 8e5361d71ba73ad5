/*
 * A training loop that is bound by its launches, for the limit of their cost: each step launches between
 * half and one and a half times KERNELS kernels of different lengths, and waits. It says what it did, and
 * how much of its steps its kernels took; records of a sample of steps must say the same.
 *
 * Usage: bound SECONDS KERNELS SEED [COMPUTE_NS [STEPS]]. Shares and times are of what comes after WARM_NS.
 * With STEPS there is a line for each step: when it ended, its launches, how long its kernels took.
 */
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <time.h>
#include <vector>

#include "tacho.h"

#define WARM_NS 3000000000u

static uint64_t state;

static unsigned random_below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static uint64_t now()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * How long all kernels took, as the emulated device has it in its records; on a GPU it is not known, and
 * the time in the kernels' own code has to do.
 */
extern "C" __attribute__((weak)) uint64_t standin_kernels_ns(void);
static uint64_t spun;

static uint64_t busy(void)
{
	return standin_kernels_ns ? standin_kernels_ns() : spun;
}

extern "C" __global__ void spin(uint64_t ns)
{
	for (long long since = clock64(); clock64() - since < (long long)ns;)
		;
}

extern "C" void tacho_host_spin(void **a, const unsigned *, const unsigned *)
{
	uint64_t since = now(), until = since + *(uint64_t *)a[0];

	while (now() < until)
		;
	spun += now() - since;
}

struct step {
	uint64_t end, launches, busy;
};

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 5;
	unsigned kernels = argc > 2 ? atoi(argv[2]) : 50, compute = argc > 4 ? atoi(argv[4]) : 2000;
	uint64_t launches = 0, begin, end, last, since = 0, before = 0, kept = 0;
	std::vector<double> took;
	std::vector<step> all;
	int steps = 0;
	cudaStream_t stream;

	state = argc > 3 ? atoi(argv[3]) : 1;
	if (cudaStreamCreate(&stream) != cudaSuccess)
		return 1;
	last = begin = now();
	for (int step = 0; last < begin + seconds * 1e9; step++) {
		unsigned n = kernels / 2 + random_below(kernels + 1);

		tacho_step_begin(step);
		for (unsigned i = 0; i < n; i++, launches++)
			spin<<<1, 1, 0, stream>>>(compute / 2 + random_below(compute));
		if (cudaStreamSynchronize(stream) != cudaSuccess)
			return 1;
		tacho_step_end(1);
		end = now();
		if (since)
			took.push_back((double)(end - last) / n);
		last = end;
		if (argc > 5) {
			all.push_back({ end, n, busy() - kept });
			kept = busy();
		}
		if (!since && end - begin > WARM_NS) {
			since = end;
			before = busy();
		}
		steps = step + 1;
	}
	std::sort(took.begin(), took.end());
	double sum = 0;
	size_t few = took.size() * 9 / 10;
	for (size_t i = 0; i < few; i++)
		sum += took[i];
	printf("launches %lu\nsteps %d\nbusy %.5f\nlaunch_ns %.1f\n", (unsigned long)launches,
		steps, since ? (double)(busy() - before) / (double)(last - since) : 0,
		few ? sum / (double)few : 0);
	for (const step &s : all)
		printf("step %lu %lu %lu\n", (unsigned long)s.end, (unsigned long)s.launches,
			(unsigned long)s.busy);
	return 0;
}
