/*
 * cuda_captured.c - what was recorded where something limits the capture: ranges of correlation
 * numbers, one per time that the window was open. Activities are reported long
 * after their launch; by then the oldest ranges may be forgotten.
 */
#include "config.h"

#include "core/capture.h"
#include "cuda/cuda_capture.h"

#define RANGES 1024

static struct {
	_Atomic uint32_t first, last;
} ranges[RANGES];
static _Atomic uint32_t nranges;
static _Atomic uint32_t was_outside = 1;

void cuda_captured(uint32_t correlation)
{
	uint32_t n, last;

	if (atomic_load_explicit(&was_outside, memory_order_relaxed) &&
		atomic_exchange(&was_outside, 0)) {
		n = atomic_load(&nranges);
		atomic_store(&ranges[n % RANGES].first, correlation);
		atomic_store(&ranges[n % RANGES].last, correlation);
		atomic_store(&nranges, n + 1);
		return;
	}
	n = (atomic_load(&nranges) - 1) % RANGES;
	last = atomic_load_explicit(&ranges[n].last, memory_order_relaxed);
	while (last < correlation &&
		!atomic_compare_exchange_weak(&ranges[n].last, &last, correlation))
		;
}

void cuda_not_captured(void)
{
	atomic_store_explicit(&was_outside, 1, memory_order_relaxed);
}

bool cuda_was_captured(uint32_t correlation)
{
	uint32_t n = atomic_load(&nranges);

	if (!tacho_capture_limited || !correlation)
		return true;
	for (uint32_t i = n; i-- > (n > RANGES ? n - RANGES : 0);)
		if (correlation >= atomic_load(&ranges[i % RANGES].first))
			return correlation <= atomic_load(&ranges[i % RANGES].last);
	return false;
}
