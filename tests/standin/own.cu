/*
 * Built with --default-stream per-thread: stream 0 is the thread's own. Each of two
 * threads has work on it that waits for the other's, which no common stream could do.
 */
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

static std::atomic<int> met(0), callbacks(0);

extern "C" __global__ void meet(int *)
{
}

extern "C" void tacho_host_meet(void **a, const unsigned *, const unsigned *)
{
	met++;
	for (int i = 0; i < 1000 && met < 2; i++)
		usleep(10000);
	**(int **)a[0] = met;
}

static void called(cudaStream_t, cudaError_t, void *seen)
{
	callbacks += *(int *)seen;
}

static void half(int *seen)
{
	int *device;

	cudaMalloc(&device, sizeof(*device));
	cudaMemsetAsync(device, 0, sizeof(*device));
	meet<<<1, 1>>>(device);
	cudaMemcpy(seen, device, sizeof(*seen), cudaMemcpyDeviceToHost);
	cudaStreamAddCallback(0, called, seen, 0);
	cudaStreamSynchronize(0);
	cudaFree(device);
}

int main()
{
	int first = -1, second = -1;
	std::thread a(half, &first), b(half, &second);

	a.join();
	b.join();
	printf("%sok 1 - threads have streams of their own\n",
		first == 2 && second == 2 ? "" : "not ");
	printf("%sok 2 - callbacks come after the work\n", callbacks == 4 ? "" : "not ");
	printf("1..2\n");
	return cudaGetLastError();
}
