/* cuda_sample.c - see cuda_sample.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/capture.h"
#include "core/define.h"
#include "core/process.h"
#include "cuda/cuda_launch.h"
#include "cuda/cuda_sample.h"

#define LIMIT_PERCENT 2.0 /* unless the user says otherwise */
#define WARM_NS	      5000000000u
#define WARM_STEPS    16   /* before the rate of launches is inspected, and between such looks */
#define LAUNCH_NS     3000 /* what a launch costs at most, as long as it is not measured */
#define PAIRS	      512  /* of steps that are compared, the last ones */
#define PAIRS_LEAST   24   /* before their ratio is inspected */
#define PAIRS_AGAIN   8	   /* further ones before it is again */
#define RATIO_ONE     65536.0
#define SHARE_MOST    0.5  /* while it is measured */
#define SHARE_LEAST   0.01 /* so that something is recorded, and measured */
#define CHANGE	      0.15 /* shares that differ less are not worth a change */
#define GROWTH	      1.5  /* of the rate of launches, from which on it is measured again */
#define SLOW	      1.5 /* times the usual duration: the step after such a one is recorded as well */
#define TICK_NS	      100000000	  /* between readings of the proposals of others */
#define CHOSEN_LEAST  16	  /* steps by chance for each of these */
#define AHEAD_NS      1000000000u /* how much later than others a rank may learn of a change */
#define SHARE_ONE     65535	  /* a share of steps as it is agreed upon */

bool tacho_sample_watches;
static const struct sample_switch *switches; /* set where launches are watched */

/* A step that was recorded and one near it that was not: the ratio of their durations, times RATIO_ONE. */
struct step_pair {
	uint32_t whole, each; /* each: of what a launch takes */
};

/* A step: how long it took, in ticks, and how many launches were seen in it, recorded or not. */
struct sampled_step {
	uint64_t ticks, launches;
};

/*
 * The time of recorded steps, and that which as many launches took in those between them, of the whole
 * run: one recorded step and all others since the one before are a pair. Sums over pairs.
 */
struct cost_sums {
	struct sampled_step between; /* not recorded, since the last pair */
	double n, on, off, on_on, on_off, off_off;
};

static struct {
	double limit; /* share of the time */
	uint64_t warm_ns;
	uint64_t begun_ns;	    /* of the first step */
	_Atomic uint32_t changes;   /* that have been agreed upon and hold */
	_Atomic int64_t proposed;   /* the next one: step * (SHARE_ONE + 1) + share; 0: none */
	_Atomic uint64_t nlaunches; /* recorded */
	/* of the thread that marks steps */
	bool has_step, is_random; /* the present step was left to chance */
	int64_t step;
	uint64_t step_ticks, on_ticks; /* when it began; the same after launches were switched on */
	_Atomic uint64_t steps;
	uint64_t launches, counted; /* when the present step began: recorded; all that are seen */
	double usual;		    /* duration of a step without launches; 0: not known */
	double share, per_step;	    /* of steps; launches in one, of those that are recorded */
	double measured_per_step;
	struct sampled_step last[2]; /* without launches, with; ticks 0: it is in a pair already */
	struct step_pair pairs[PAIRS];
	unsigned npairs, compared; /* ever; at the last comparison */
	unsigned chosen;	   /* steps that were recorded as the one before was slow */
	struct cost_sums sums;
} sample = { .share = 1 };

/* Whether launches are recorded, and why. */
static struct {
	_Atomic uint32_t is_busy, is_on, nopen, nccl;
	_Atomic uint32_t step_wants;  /* the present step is recorded */
	_Atomic uint32_t window_open; /* launches belong to a step that is recorded */
	_Atomic uint32_t first, last; /* correlation numbers of these */
} detail = { .is_on = 1, .step_wants = 1, .window_open = 1 };

/* --- switching --- */

/* Whether launches have been found that only callbacks see: it is known when a window ends first. */
static bool counts_steps(void)
{
	static _Atomic uint32_t chosen; /* 1: launches; 2: steps */
	uint32_t none = 0;

	if (!atomic_load(&chosen))
		atomic_compare_exchange_strong(&chosen, &none,
			tacho_process.state && !tacho_process.state->launches_unseen ? 1 : 2);
	return atomic_load(&chosen) == 2;
}

static void define(bool is_on, uint32_t flags)
{
	struct spool_def_sample body = { .ticks = clock_ticks(),
		.is_on = is_on,
		.flags = flags | (counts_steps() ? SAMPLE_STEPS : 0),
		.first = atomic_load(&detail.first),
		.last = atomic_load(&detail.last),
		.launches = counts_steps()
			? atomic_load(&sample.steps)
			: cuda_launches_counted() - (flags & SAMPLE_BOUNDARY ? 1 : 0) };

	process_define(&(struct def){ .type = DEF_SAMPLE, .body = &body, .nbody = sizeof(body) });
}

static bool is_wanted(void)
{
	return atomic_load(&detail.window_open) || atomic_load(&detail.nccl);
}

/*
 * A callback that is switched off between the begin and the end of a launch leaves that open. So
 * launches are waited for; one that begins in the last moment is noticed by the thread's next one.
 */
static void apply(void)
{
	while (switches && switches->is_ours() && is_wanted() != (bool)atomic_load(&detail.is_on)) {
		bool on = is_wanted();

		if (!on && (atomic_load(&detail.nopen) || switches->is_shared()))
			return; /* the next one that ends tries again */
		if (atomic_exchange(&detail.is_busy, 1))
			return; /* that thread looks again */
		switches->turn(on);
		atomic_store(&detail.is_on, on);
		atomic_store(&detail.is_busy, 0);
	}
}

static void window_begin(bool is_random)
{
	atomic_store(&detail.step_wants, 1);
	if (atomic_exchange(&detail.window_open, 1))
		return;
	atomic_store(&detail.first, 0);
	atomic_store(&detail.last, 0);
	define(true, is_random ? 0 : SAMPLE_CHOSEN);
	apply();
}

/* `is_boundary`: the last launch is the first one of a step that is not recorded. */
static void window_end(bool is_boundary)
{
	if (!atomic_exchange(&detail.window_open, 0))
		return;
	define(false, is_boundary ? SAMPLE_BOUNDARY : 0);
	apply();
}

/* In a step that is not recorded nothing changes. */
void cuda_sample_away(bool is_away)
{
	if (!atomic_load(&detail.window_open))
		return;
	define(!is_away, is_away ? SAMPLE_AWAY : 0);
	if (!is_away)
		return;
	atomic_store(&detail.first, 0);
	atomic_store(&detail.last, 0);
}

bool cuda_sample_is_on(void)
{
	return atomic_load_explicit(&detail.is_on, memory_order_relaxed);
}

bool cuda_sample_launches(void)
{
	if (unlikely(!cuda_sample_is_on()))
		return false;
	atomic_fetch_add(&detail.nopen, 1);
	return true;
}

void cuda_sample_lost(void)
{
	atomic_fetch_sub(&detail.nopen, 1);
}

void cuda_sample_launched(uint32_t correlation)
{
	uint32_t none = 0;

	atomic_fetch_sub(&detail.nopen, 1);
	atomic_fetch_add_explicit(&sample.nlaunches, 1, memory_order_relaxed);
	if (unlikely(!tacho_launch_depth) && tacho_process.state)
		atomic_fetch_add_explicit(&tacho_process.state->launches_unseen, 1,
			memory_order_relaxed);
	if (likely(atomic_load_explicit(&detail.window_open, memory_order_relaxed))) {
		if (!atomic_load_explicit(&detail.first, memory_order_relaxed))
			atomic_compare_exchange_strong(&detail.first, &none, correlation);
		atomic_store_explicit(&detail.last, correlation, memory_order_relaxed);
		if (unlikely(!atomic_load_explicit(&detail.step_wants, memory_order_relaxed)))
			window_end(true);
	} else if (!atomic_load(&detail.nccl)) {
		apply();
	}
}

void cuda_sample_graph(void)
{
	if (!atomic_load(&detail.step_wants))
		window_end(false);
}

void cuda_sample_nccl(int change)
{
	int saved = errno;

	atomic_fetch_add(&detail.nccl, (uint32_t)change);
	apply();
	errno = saved;
}

/* --- which steps --- */

/* splitmix64: numbers that look like chance, and are the same on all ranks. */
static double chance(uint64_t n)
{
	n += 0x9e3779b97f4a7c15u;
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
	n = (n ^ n >> 27) * 0x94d049bb133111ebu;
	return (double)((n ^ n >> 31) >> 11) * 0x1p-53;
}

/* Of each 1 / share steps one, which chance chooses; `share` is 1/2 at most. */
static bool is_chosen(int64_t step, double share)
{
	int64_t least = (int64_t)((double)step * share);

	for (int64_t k = least; k <= least + 1; k++)
		if (share > 0 && (int64_t)(((double)k + chance((uint64_t)k)) / share) == step)
			return true;
	return false;
}

static bool is_sampled(int64_t step)
{
	return sample.share > 0.5 ? !is_chosen(step, 1 - sample.share)
				  : is_chosen(step, sample.share);
}

/* --- what it costs --- */

static uint32_t ratio(double with, double without)
{
	double ratio = without > 0 ? with / without * RATIO_ONE : 0;

	return ratio < UINT32_MAX ? (uint32_t)ratio : UINT32_MAX;
}

static void sums_add(struct sampled_step step, bool with)
{
	struct cost_sums *sums = &sample.sums;
	double on, off;

	if (!step.launches)
		return;
	if (!with) {
		sums->between.ticks += step.ticks;
		sums->between.launches += step.launches;
	} else if (sums->between.launches) {
		on = (double)step.ticks;
		off = (double)sums->between.ticks * (double)step.launches /
			(double)sums->between.launches;
		sums->n++;
		sums->on += on;
		sums->off += off;
		sums->on_on += on * on;
		sums->on_off += on * off;
		sums->off_off += off * off;
		sums->between = (struct sampled_step){ 0, 0 };
	}
}

/* Times that drift, as on a machine that others use as well, are compared with those next to them. */
static void pair_add(struct sampled_step step, bool with)
{
	struct sampled_step *last = sample.last, *on = &last[1], *off = &last[0];

	last[with] = step;
	if (!on->ticks || !off->ticks)
		return;
	sample.pairs[sample.npairs++ % PAIRS] = (struct step_pair){ ratio((double)on->ticks,
									    (double)off->ticks),
		ratio((double)on->ticks * (double)off->launches,
			(double)off->ticks * (double)on->launches) };
	on->ticks = off->ticks = 0;
}

/* In order; without libc's, which allocates. */
static void sort(uint32_t *at, unsigned n)
{
	for (unsigned gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
		for (unsigned i = gap; i < n; i++) {
			uint32_t value = at[i];
			unsigned k = i;

			for (; k >= gap && at[k - gap] > value; k -= gap)
				at[k] = at[k - gap];
			at[k] = value;
		}
}

struct cost {
	double share, error; /* of a step's time that a recorded step takes longer; 95 % */
};

/* The median of the ratios; its error follows from order statistics. */
static struct cost cost_of(bool each)
{
	static uint32_t sorted[PAIRS]; /* of the thread that marks steps */
	unsigned n = sample.npairs < PAIRS ? sample.npairs : PAIRS, wide = 0;

	for (unsigned i = 0; i < n; i++)
		sorted[i] = each ? sample.pairs[i].each : sample.pairs[i].whole;
	sort(sorted, n);
	while (wide * wide < n) /* 1.96 / 2 times the root of n */
		wide++;
	if (n <= 2 * wide || !sorted[n / 2 - wide])
		return (struct cost){ 0, 1 };
	return (struct cost){ sorted[n / 2] / RATIO_ONE - 1,
		(sorted[n / 2 + wide - 1] - sorted[n / 2 - wide]) / RATIO_ONE / 2 };
}

/* By Newton's method: the library does not need libm. */
static double root(double x)
{
	double r = 1;

	for (int i = 0; i < 64; i++)
		r = (r + x / r) / 2;
	return r;
}

/* Of the whole run: a ratio of sums, with its error (Cochran, Sampling Techniques, 6.3). */
static struct cost cost_of_run(void)
{
	const struct cost_sums *sums = &sample.sums;
	double times, left;

	if (sums->n < 2)
		return (struct cost){ 0, 1 };
	times = sums->on / sums->off;
	left = sums->on_on - 2 * times * sums->on_off + times * times * sums->off_off;
	return (struct cost){ times - 1,
		left > 0 ? 1.96 * root(left * sums->n / (sums->n - 1)) / sums->off : 0 };
}

static void number_define(const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", value);
	process_define_property(key, text);
}

/* A change of the share, of which the first rank that wants one decides. */
static void propose(double share)
{
	uint64_t now = clock_monotonic_ns(), took = now - sample.begun_ns;
	int64_t ahead = took ? (int64_t)((double)sample.steps * AHEAD_NS / (double)took) : 0;
	int64_t at = sample.step + 2 + ahead;

	atomic_store(&sample.proposed,
		capture_agree("gpu-sample", atomic_load(&sample.changes) + 1,
			at * (SHARE_ONE + 1) + (int64_t)(share * SHARE_ONE + 0.5)));
}

/* Before anything is measured: the share of steps by which launches keep the limit for certain. */
static double rate_share(void)
{
	uint64_t took = clock_monotonic_ns() - sample.begun_ns;
	double most = sample.per_step * (double)sample.steps * LAUNCH_NS / (double)took;

	return most > sample.limit ? sample.limit / most : 1;
}

static void rate_look(void)
{
	uint64_t took = clock_monotonic_ns() - sample.begun_ns;
	double share;

	if (took < sample.warm_ns || sample.steps % WARM_STEPS)
		return;
	if (sample.measured_per_step > 0 && sample.per_step < sample.measured_per_step * GROWTH)
		return;
	share = rate_share();
	if (share < 1)
		propose(share > SHARE_MOST	      ? SHARE_MOST
				: share < SHARE_LEAST ? SHARE_LEAST
						      : share);
}

/* The limit is to hold even if the cost is as large as it may be. */
static void cost_look(void)
{
	struct cost cost, each, of_run;
	double share;

	if (sample.npairs < PAIRS_LEAST || sample.npairs < sample.compared + PAIRS_AGAIN)
		return;
	sample.compared = sample.npairs;
	sample.measured_per_step = sample.per_step;
	cost = cost_of(false);
	each = cost_of(true);
	if (each.error < cost.error)
		cost = each;
	of_run = cost_of_run();
	number_define("process.gpu_step_cost_percent", 100 * of_run.share);
	number_define("process.gpu_step_cost_error_percent", 100 * of_run.error);
	share = cost.share + cost.error > sample.limit ? sample.limit / (cost.share + cost.error)
						       : 1;
	if (share < SHARE_LEAST)
		share = SHARE_LEAST;
	if (share > sample.share * (1 + CHANGE) || share < sample.share * (1 - CHANGE))
		propose(share);
}

static void change_take(int64_t step)
{
	int64_t proposed = atomic_load(&sample.proposed);

	if (!proposed || step < proposed / (SHARE_ONE + 1))
		return;
	sample.share = (double)(proposed % (SHARE_ONE + 1)) / SHARE_ONE;
	atomic_fetch_add(&sample.changes, 1);
	atomic_store(&sample.proposed, 0);
	if (sample.share >= 1)
		sample.npairs = sample.compared = 0;
	number_define("process.gpu_sample_share", sample.share);
}

/* A step is over that was begun by cuda_sample_step(). True: it took much longer than others. */
static bool step_over(uint64_t now)
{
	uint64_t took = now - sample.step_ticks, launches = atomic_load(&sample.nlaunches),
		 counted = cuda_launches_counted();
	bool was_on = atomic_load(&detail.step_wants);

	if (was_on)
		sample.per_step += ((double)(launches - sample.launches) - sample.per_step) /
			(sample.steps < 8 ? 2 : 8);
	if (sample.is_random) {
		pair_add((struct sampled_step){ took, counted - sample.counted }, was_on);
		sums_add((struct sampled_step){ now - sample.on_ticks, counted - sample.counted },
			was_on);
	}
	if (!was_on)
		sample.usual += ((double)took - sample.usual) / (sample.usual > 0 ? 16 : 1);
	sample.launches = launches;
	sample.counted = counted;
	return sample.usual > 0 && (double)took > SLOW * sample.usual && !was_on;
}

void cuda_sample_step(uint64_t number)
{
	int64_t step = (int64_t)number;
	uint64_t now = clock_ticks();
	bool was_slow, is_on;
	int saved = errno;

	if (!tacho_sample_watches || tacho_capture_limited || !switches->is_ours() ||
		(sample.has_step && step == sample.step))
		return;
	if (!sample.has_step)
		sample.begun_ns = clock_monotonic_ns();
	was_slow = sample.has_step && step_over(now) && sample.share < 1 &&
		sample.chosen * CHOSEN_LEAST < sample.npairs;
	sample.has_step = true;
	sample.step = step;
	sample.step_ticks = now;
	sample.steps++;
	change_take(step);
	if (!atomic_load(&sample.proposed)) {
		if (sample.share >= 1)
			rate_look();
		else
			cost_look();
	}
	is_on = sample.share >= 1 || is_sampled(step);
	sample.is_random = sample.share < 1 && (is_on || !was_slow);
	sample.chosen += was_slow && !is_on;
	if (is_on || was_slow)
		window_begin(is_on);
	else
		atomic_store(&detail.step_wants, 0); /* up to its first launch */
	sample.on_ticks = is_on || was_slow ? clock_ticks() : now;
	errno = saved;
}

void cuda_sample_count(void)
{
	if (tacho_sample_watches && tacho_process.state)
		atomic_store_explicit(&tacho_process.state->launches, cuda_launches_counted(),
			memory_order_relaxed);
}

uint64_t cuda_sample_tick(void)
{
	static uint64_t next_ns;
	uint64_t now = clock_monotonic_ns();
	int64_t agreed;

	if (!tacho_sample_watches)
		return UINT64_MAX;
	if (now < next_ns)
		return next_ns;
	next_ns = now + TICK_NS;
	cuda_sample_count();
	if (!sample.has_step || atomic_load(&sample.proposed))
		return next_ns;
	agreed = capture_agreed("gpu-sample", atomic_load(&sample.changes) + 1);
	if (agreed > 0)
		atomic_store(&sample.proposed, agreed);
	return next_ns;
}

void cuda_sample_start(const struct sample_switch *with)
{
	const char *limit = getenv("TACHO_MAX_COST"), *after = getenv("TACHO_MAX_COST_AFTER");

	sample.limit = (limit && *limit ? strtod(limit, NULL) : LIMIT_PERCENT) / 100;
	sample.warm_ns = after && *after ? (uint64_t)(strtod(after, NULL) * 1e9) : WARM_NS;
	if (!(sample.limit > 0))
		return;
	switches = with;
	tacho_sample_watches = true;
	number_define("process.gpu_max_cost_percent", 100 * sample.limit);
}
