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
				.before = change->is_on ? change->launches : 0,
				.flags = change->is_on ? change->flags : 0 };
		}
		if (!change->is_on && !window->off) {
			window->off = change->ticks;
			window->launches = change->launches - window->before;
			window->first = change->first;
			window->last = change->last;
			window->flags |= change->flags &
				(SAMPLE_BOUNDARY | SAMPLE_STEPS | SAMPLE_AWAY);
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

/* Launches of the step behind that are recorded for the window's end. */
static uint64_t boundary_launches(const struct gpu_window *window)
{
	return (window->flags & (SAMPLE_BOUNDARY | SAMPLE_STEPS)) == SAMPLE_BOUNDARY;
}

/*
 * From the end of a window to the next one that chance has chosen. What its launches would have taken is known by
 * the host's time outside of windows: to switch recording is not part of it.
 */
static struct gpu_off off_behind(const struct gpu *gpu, const struct gpu_window *window)
{
	const struct gpu_window *next = window + 1, *end = gpu->windows.at + gpu->windows.n;
	struct gpu_off off = { .from = window_end(window), .until = UINT64_MAX };
	uint64_t bare = 0, ticks = 0;

	if (off.from < gpu->summed_until)
		off.from = gpu->summed_until;
	for (; next < end; next++) {
		uint64_t between = next->before - next[-1].before - next[-1].launches;

		bare += between - (between ? boundary_launches(&next[-1]) : 0);
		ticks += next->on - next[-1].off;
		if (!(next->flags & SAMPLE_CHOSEN))
			break;
	}
	if (next == end)
		return off;
	off.until = next->begin > next->on ? next->begin : next->on;
	off.missed = next->before - window->before - window->launches;
	off.ticks = bare ? (double)ticks * (double)off.missed / (double)bare : (double)ticks;
	return off;
}

int gpu_windows_close(struct process *p)
{
	struct gpu *gpu = p->gpu;
	uint64_t recorded = 0, missed = 0;
	double ticks = 0;

	for (size_t i = 0; i < gpu->windows.n; i++) {
		const struct gpu_window *window = &gpu->windows.at[i];
		struct gpu_off off = off_behind(gpu, window);

		if (!window->off ||
			(window->flags & (SAMPLE_CHOSEN | SAMPLE_AWAY)) == SAMPLE_CHOSEN)
			continue;
		recorded += window->launches;
		missed += off.missed;
		ticks += off.ticks;
		if (off.from >= off.until)
			continue;
		if (!ARRAY_ADD(&gpu->offs)) {
			log_error("out of memory");
			return -1;
		}
		off.recorded = recorded;
		off.missed = missed;
		off.ticks = ticks;
		gpu->offs.at[gpu->offs.n - 1] = off;
		recorded = missed = 0;
		ticks = 0;
	}
	return 0;
}
