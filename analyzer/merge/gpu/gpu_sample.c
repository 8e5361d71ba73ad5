/*
 * gpu_sample.c - where the cost of launches was limited, which time of devices is not in detail; see
 * gpu.h. A device comes to the launches of a step later than the host. So that time ends with the first
 * kernel that a recorded step launched, and begins again with the first one of the step behind, which
 * is recorded for that; where there is none, with the end of the last kernel.
 */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "merge/gpu/gpu.h"

int gpu_windows_read(struct process *p)
{
	struct gpu *gpu = p->gpu;
	struct gpu_window *window = NULL;

	for (size_t i = 0; i < p->spool->samples.n; i++) {
		const struct spool_def_sample *change = &p->spool->samples.at[i];

		if (change->is_on || !window) {
			window = ARRAY_ADD(&gpu->windows);
			if (!window) {
				log_error("out of memory");
				return -1;
			}
			*window = (struct gpu_window){ .on = change->is_on ? change->ticks : 0,
				.flags = change->is_on ? change->flags : 0 };
		}
		if (!change->is_on && !window->off) {
			window->off = change->ticks;
			window->first = change->first;
			window->last = change->last;
			window->flags |= change->flags & (SAMPLE_BOUNDARY | SAMPLE_AWAY);
			/* nothing was launched */
			if (!window->first && i && !(change->flags & SAMPLE_AWAY))
				gpu->windows.n--;
		}
	}
	return 0;
}

void gpu_windows_see(struct gpu *gpu, const uint64_t *rec)
{
	uint32_t correlation = (uint32_t)rec[3];
	size_t low = 0, high = gpu->windows.n;
	struct gpu_window *window;

	if (spool_type(rec[0]) != SPOOL_KERNEL || !correlation || !gpu->windows.n)
		return;
	while (low + 1 < high) { /* the last one that begins at the launch or before it */
		size_t middle = (low + high) / 2;
		const struct gpu_window *at = &gpu->windows.at[middle];

		if (at->off && at->first && at->first <= correlation)
			low = middle;
		else
			high = middle;
	}
	window = &gpu->windows.at[low];
	if (!window->first || correlation < window->first || correlation > window->last)
		return;
	if (!window->begin)
		window->begin = rec[1];
	if (spool_record_end(rec) > window->end)
		window->end = spool_record_end(rec);
	if (correlation == window->last && !window->boundary)
		window->boundary = rec[1];
}

static uint64_t window_end(const struct gpu_window *window)
{
	if (window->flags & SAMPLE_AWAY)
		return window->off;
	if (window->flags & SAMPLE_BOUNDARY && window->boundary)
		return window->boundary;
	return window->end > window->off ? window->end : window->off;
}

int gpu_windows_close(struct process *p)
{
	struct gpu *gpu = p->gpu;
	size_t n = gpu->windows.n;

	for (size_t i = 0; i < n; i++) {
		const struct gpu_window *window = &gpu->windows.at[i];
		struct gpu_off off = { .from = window_end(window), .until = UINT64_MAX };
		size_t next = i + 1;

		if (!window->off ||
			(window->flags & (SAMPLE_CHOSEN | SAMPLE_AWAY)) == SAMPLE_CHOSEN)
			continue;
		while (next < n && gpu->windows.at[next].flags & SAMPLE_CHOSEN)
			next++;
		if (next < n)
			off.until = gpu->windows.at[next].begin > gpu->windows.at[next].on
				? gpu->windows.at[next].begin
				: gpu->windows.at[next].on;
		if (off.from < gpu->summed_until)
			off.from = gpu->summed_until;
		if (off.from >= off.until)
			continue;
		if (!ARRAY_ADD(&gpu->offs)) {
			log_error("out of memory");
			return -1;
		}
		gpu->offs.at[gpu->offs.n - 1] = off;
	}
	return 0;
}
