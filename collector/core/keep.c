/*
 * keep.c - see keep.h. A ring has the steps as they end; whoever gives chunks up judges them. The
 * sample depends on the step's number, so all ranks keep the same steps; a step that one rank makes
 * slow is as long on the ranks that wait for it.
 */
#include "config.h"

#include <string.h>

#include "core/keep.h"
#include "core/budget.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/sandbox.h"

#define NOTED	  1024 /* steps that have ended and are not judged yet; a power of two */
#define LOCK_SPIN 1000 /* inspects a lock that is held for less than a microsecond */

struct kept_step {
	uint64_t number, begin, end;
};

/* A step to keep, and the records kept with it. */
struct choice {
	uint64_t number, ticks;
	struct keep_window window;
};

static struct {
	/* of the thread that marks them */
	bool is_open;
	struct kept_step open;
	/* from it to the judging threads */
	_Atomic uint64_t ended;
	struct {
		_Atomic uint64_t nth; /* 1 + its place in the order of ends */
		struct kept_step step;
	} noted[NOTED];
	/* under the lock */
	_Atomic bool is_locked;
	uint64_t judged; /* of the ended ones */
	unsigned nlast;
	struct kept_step
		last[2]; /* the last one, judged once the next ends, after its predecessor */
	unsigned nslow, nsample;
	struct choice slow[KEEP_SLOW], sample[KEEP_SAMPLE];
	uint64_t every; /* of the sample */
	_Atomic uint32_t generation;
} keep;

static void step_note(uint64_t now)
{
	uint64_t nth = atomic_fetch_add(&keep.ended, 1);
	typeof(&keep.noted[0]) at = &keep.noted[nth % NOTED];

	keep.is_open = false;
	keep.open.end = now;
	atomic_store(&at->nth, 0);
	at->step = keep.open;
	atomic_store_explicit(&at->nth, nth + 1, memory_order_release);
}

void keep_step_begin(uint64_t number)
{
	uint64_t now;

	if (!budget_slot_size() || sandbox_is_on())
		return;
	process_uses(USED_STEPS);
	now = clock_ticks();
	if (keep.is_open && keep.open.number == number)
		return; /* two tools mark it */
	if (keep.is_open)
		step_note(now);
	keep.open = (struct kept_step){ number, now, now };
	keep.is_open = true;
}

void keep_step_end(void)
{
	if (keep.is_open && !sandbox_is_on())
		step_note(clock_ticks());
}

static void keep_forked(void)
{
	memset(&keep, 0, sizeof(keep));
}

const struct source tacho_keep_source = { .used = USED_STEPS, .forked = keep_forked };

static bool lock(void)
{
	process_uses(USED_STEPS);
	for (int i = 0; i < LOCK_SPIN; i++)
		if (!atomic_exchange_explicit(&keep.is_locked, true, memory_order_acquire))
			return true;
	return false;
}

static void unlock(void)
{
	atomic_store_explicit(&keep.is_locked, false, memory_order_release);
}

static void dropped(void)
{
	atomic_fetch_add(&keep.generation, 1);
}

static struct choice *slow_least(void)
{
	struct choice *least = &keep.slow[0];

	for (unsigned i = 1; i < keep.nslow; i++)
		if (keep.slow[i].ticks < least->ticks)
			least = &keep.slow[i];
	return least;
}

static void slow_add(const struct choice *choice)
{
	struct choice *at;

	if (keep.nslow < KEEP_SLOW) {
		keep.slow[keep.nslow++] = *choice;
		return;
	}
	at = slow_least();
	if (at->ticks >= choice->ticks)
		return;
	*at = *choice;
	dropped();
}

/* Leaves every second one of the sample. */
static void sample_thin(void)
{
	unsigned n = 0;

	keep.every *= 2;
	for (unsigned i = 0; i < keep.nsample; i++)
		if (keep.sample[i].number % keep.every == 0)
			keep.sample[n++] = keep.sample[i];
	keep.nsample = n;
	dropped();
}

static void sample_add(const struct choice *choice)
{
	if (!keep.every)
		keep.every = 1;
	while (keep.nsample == KEEP_SAMPLE && choice->number % keep.every == 0 &&
		keep.every < UINT64_MAX / 4)
		sample_thin();
	if (choice->number % keep.every == 0 && keep.nsample < KEEP_SAMPLE)
		keep.sample[keep.nsample++] = *choice;
}

/* The last step but one, now that those on both sides of it are known. */
static void judge(const struct kept_step *next)
{
	if (keep.nlast) {
		const struct kept_step *it = &keep.last[keep.nlast - 1];
		struct choice choice = { .number = it->number,
			.ticks = it->end - it->begin,
			.window = { keep.last[0].begin, next->end } };

		slow_add(&choice);
		sample_add(&choice);
		keep.last[0] = *it;
	}
	keep.last[keep.nlast ? 1 : 0] = *next;
	keep.nlast = keep.nlast ? 2 : 1;
}

static void judge_all(void)
{
	uint64_t ended = atomic_load(&keep.ended);

	if (keep.judged + NOTED < ended) {
		keep.judged = ended - NOTED;
		keep.nlast = 0;
	}
	for (; keep.judged < ended; keep.judged++) {
		typeof(&keep.noted[0]) at = &keep.noted[keep.judged % NOTED];
		struct kept_step step;

		if (atomic_load_explicit(&at->nth, memory_order_acquire) != keep.judged + 1) {
			if (atomic_load(&keep.ended) <= keep.judged + NOTED)
				return; /* just being noted */
			keep.nlast = 0;
			continue;
		}
		step = at->step;
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load(&at->nth) == keep.judged + 1)
			judge(&step);
	}
}

/* Inserts a window into `out`, which is in order; adjacent windows become one. */
static unsigned window_add(struct keep_window *out, unsigned n, struct keep_window window)
{
	unsigned first = 0, behind;

	while (first < n && out[first].end < window.begin)
		first++;
	for (behind = first; behind < n && out[behind].begin <= window.end; behind++) {
		if (out[behind].begin < window.begin)
			window.begin = out[behind].begin;
		if (out[behind].end > window.end)
			window.end = out[behind].end;
	}
	memmove(&out[first + 1], &out[behind], (n - behind) * sizeof(*out));
	out[first] = window;
	return n - (behind - first) + 1;
}

static unsigned windows_add(struct keep_window *out, unsigned n, const struct choice *choices,
	unsigned nchoices, struct keep_window within)
{
	for (unsigned i = 0; i < nchoices; i++)
		if (choices[i].window.end >= within.begin && choices[i].window.begin <= within.end)
			n = window_add(out, n, choices[i].window);
	return n;
}

unsigned keep_windows(uint64_t begin, uint64_t end, struct keep_window out[KEEP_MOST])
{
	unsigned n;

	if (!lock())
		return 0;
	judge_all();
	n = windows_add(out, 0, keep.slow, keep.nslow, (struct keep_window){ begin, end });
	n = windows_add(out, n, keep.sample, keep.nsample, (struct keep_window){ begin, end });
	unlock();
	return n;
}

bool keep_fewer(void)
{
	bool is_fewer = true;

	if (!lock())
		return false;
	if (keep.nslow > 1 && keep.nslow >= keep.nsample) {
		*slow_least() = keep.slow[keep.nslow - 1];
		keep.nslow--;
		dropped();
	} else if (keep.nsample > 1 && keep.every < UINT64_MAX / 4) {
		sample_thin();
	} else {
		is_fewer = false;
	}
	unlock();
	return is_fewer;
}

uint32_t keep_generation(void)
{
	return atomic_load(&keep.generation);
}
