/*
 * clock_solve_test.c - clocks of random nodes, wrong by a line or steered, are put on one axis from
 * random messages and collectives: no cause comes after its effect, and errors are within the
 * stated bounds.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "merge/clock/clock_solve.h"
#include "merge/clock/clock_sort.h"

#define NODES_MOST 8
#define SECOND	   1e9

static unsigned seed;

static double uniform(double from, double to)
{
	return from + (to - from) * rand_r(&seed) / RAND_MAX;
}

/* A node's clock reads t + offset + drift·t + wander·sin(2πt/period) at the true time t. */
struct node {
	double offset, drift, wander, period;
};

static double reading(const struct node *node, double t)
{
	return t + node->offset + node->drift * t +
		(node->wander ? node->wander * sin(2 * M_PI * t / node->period) : 0);
}

struct world {
	struct node nodes[NODES_MOST];
	uint32_t nnodes;
	double length;
	struct clock_part *parts, *kept; /* kept: as they were made */
	uint32_t n;
};

static void meet(struct world *w, struct sync_event_key key, uint32_t node, double enter,
	double leave)
{
	w->parts[w->n++] = (struct clock_part){ key, node,
		isinf(enter) ? enter : reading(&w->nodes[node], enter),
		isinf(leave) ? leave : reading(&w->nodes[node], leave) };
}

static void message_make(struct world *w, uint32_t seq, double t, double latency)
{
	uint32_t from = (uint32_t)rand_r(&seed) % w->nnodes;
	uint32_t to = (from + 1 + (uint32_t)rand_r(&seed) % (w->nnodes - 1)) % w->nnodes;
	struct sync_event_key key = { 0, from, to, 0, seq };

	meet(w, key, from, t, INFINITY);
	meet(w, key, to, -INFINITY, t + latency + uniform(0, 10 * latency));
}

/* All enter within a second of each other: one that waits long bounds its clock as it leaves. */
static void collective_make(struct world *w, uint32_t seq, double t, double latency)
{
	struct sync_event_key key = { 1, UINT32_MAX, UINT32_MAX, 0, seq };
	double enters[NODES_MOST], last = 0;

	for (uint32_t i = 0; i < w->nnodes; i++) {
		enters[i] = t + uniform(0, SECOND);
		last = fmax(last, enters[i]);
	}
	for (uint32_t i = 0; i < w->nnodes; i++)
		meet(w, key, i, enters[i], last + latency + uniform(0, 10 * latency));
}

static void world_make(struct world *w, uint32_t nnodes, double length, size_t nmessages,
	double wander)
{
	size_t ncollectives = nmessages / 10;

	*w = (struct world){ .nnodes = nnodes, .length = length };
	w->parts = calloc(2 * nmessages + nnodes * ncollectives, sizeof(*w->parts));
	assert_non_null(w->parts);
	for (uint32_t i = 1; i < nnodes; i++)
		w->nodes[i] = (struct node){ uniform(-1e9, 1e9), uniform(-100e-6, 100e-6),
			uniform(0, wander), uniform(length / 3, length) };
	for (size_t i = 0; i < nmessages; i++)
		message_make(w, (uint32_t)i, uniform(0, length), 2000);
	for (size_t i = 0; i < ncollectives; i++)
		collective_make(w, (uint32_t)i, uniform(0, length), 2000);
	w->kept = malloc(w->n * sizeof(*w->kept));
	assert_non_null(w->kept);
	for (size_t i = 0; i < w->n; i++)
		w->kept[i] = w->parts[i];
}

static double corrected(const struct clock_tie *tie, double ns)
{
	return isinf(ns) ? ns : ns + clock_quad_at(&tie->quad, ns);
}

/*
 * By how much the worst cause is after its effect, ns; parts follow each other as they were made.
 */
static double worst_order(const struct world *w, const struct clock_tie *ties)
{
	double worst = 0, enter, leave;

	for (size_t i = 0, end; i < w->n; i = end) {
		enter = -INFINITY;
		leave = INFINITY;
		for (end = i; end < w->n && w->kept[end].key.comm == w->kept[i].key.comm &&
			w->kept[end].key.seq == w->kept[i].key.seq;
			end++) {
			const struct clock_part *at = &w->kept[end];

			enter = fmax(enter, corrected(&ties[at->node], at->enter));
			leave = fmin(leave, corrected(&ties[at->node], at->leave));
		}
		worst = fmax(worst, enter - leave);
	}
	return worst;
}

/* Largest error over the run and all nodes, in parts of the stated error. */
static double worst_error(const struct world *w, const struct clock_tie *ties, double *ns)
{
	double worst = 0;

	*ns = 0;
	for (uint32_t i = 0; i < w->nnodes; i++)
		for (int k = 0; k <= 100; k++) {
			double t = w->length * k / 100;
			double error = fabs(corrected(&ties[i], reading(&w->nodes[i], t)) - t);

			*ns = fmax(*ns, error);
			worst = fmax(worst, error / (ties[i].residual + 1));
		}
	return worst;
}

static void world_drop(struct world *w)
{
	free(w->parts);
	free(w->kept);
}

static void straight_clocks_keep_the_order(void **state)
{
	struct clock_tie ties[NODES_MOST];
	struct world w;
	double ns;

	(void)state;
	for (seed = 1; seed <= 100;) {
		unsigned first = seed;

		world_make(&w, 2 + first % (NODES_MOST - 1), 30 * SECOND, 100 * (1 + first % 10),
			0);
		assert_true(clock_solve(w.parts, w.n, ties, w.nnodes) == 0);
		assert_true(worst_order(&w, ties) == 0);
		assert_true(worst_error(&w, ties, &ns) <= 1);
		world_drop(&w);
		seed = first + 1;
	}
}

/* Two hours, steered by up to 300 us: that far from every line, but not from the quad. */
static void steered_clocks_keep_the_order(void **state)
{
	struct clock_tie ties[NODES_MOST];
	struct world w;
	double ns;

	(void)state;
	for (seed = 1; seed <= 10;) {
		unsigned first = seed;

		world_make(&w, 2 + first % 4, 7200 * SECOND, 5000, 300000);
		assert_true(clock_solve(w.parts, w.n, ties, w.nnodes) == 0);
		assert_true(worst_order(&w, ties) == 0);
		assert_true(worst_error(&w, ties, &ns) <= 1);
		assert_true(ns < 30000);
		world_drop(&w);
		seed = first + 1;
	}
}

/* Messages go round a ring every 10 ms; a fifth node hears of it and has no information. */
static void messages_round_a_ring_tie(void **state)
{
	struct clock_tie ties[NODES_MOST];
	struct world w;
	double ns;

	(void)state;
	for (seed = 1; seed <= 20;) {
		unsigned first = seed;

		world_make(&w, 5, 3 * SECOND, 1500, 0);
		w.n = 0;
		for (uint32_t i = 0; i < 1500; i++) {
			struct sync_event_key key = { 0, i % 5, (i + 1) % 5, 0, i };
			double t = i / 5 * 1e7;

			if (i % 5 == 4)
				key.source = 2;
			key.dest = i % 5 == 3 ? 0 : i % 5 == 4 ? 4 : key.dest;
			meet(&w, key, key.source, t + uniform(0, 1e6), INFINITY);
			meet(&w, key, key.dest, -INFINITY, t + 1.02e6 + uniform(0, 1e5));
		}
		for (size_t i = 0; i < w.n; i++)
			w.kept[i] = w.parts[i];
		assert_true(clock_solve(w.parts, w.n, ties, w.nnodes) == 0);
		for (uint32_t i = 0; i < 4; i++)
			assert_true(ties[i].is_tied && ties[i].residual < 1e6);
		assert_false(ties[4].is_tied);
		w.nnodes = 4;
		assert_true(worst_error(&w, ties, &ns) <= 1);
		world_drop(&w);
		seed = first + 1;
	}
}

/*
 * Two constraints that contradict each other: no solution is right, and the result states by how
 * much.
 */
static void lies_are_told(void **state)
{
	struct clock_part parts[] = {
		{ { 0, 0, 1, 0, 0 }, 0, 1000, INFINITY },
		{ { 0, 0, 1, 0, 0 }, 1, -INFINITY, 0 },
		{ { 0, 1, 0, 0, 0 }, 1, 1000, INFINITY },
		{ { 0, 1, 0, 0, 0 }, 0, -INFINITY, 0 },
	};
	struct clock_tie ties[2];

	(void)state;
	assert_true(clock_solve(parts, 4, ties, 2) > 900);
}

/* Over a slow link no rank leaves for 100 ms: one clock is kept, another cannot be right. */
static void right_clocks_are_kept_where_bounds_are_wide(void **state)
{
	struct clock_part parts[] = {
		{ { 0, -1u, -1u, 0, 0 }, 0, 0, 100e6 },
		{ { 0, -1u, -1u, 0, 0 }, 1, 30e6, 100e6 },
		{ { 0, -1u, -1u, 0, 0 }, 2, 5e9, 5.1e9 },
		{ { 0, -1u, -1u, 0, 1 }, 0, 2e9, 2.1e9 },
		{ { 0, -1u, -1u, 0, 1 }, 1, 1.99e9, 2.1e9 },
		{ { 0, -1u, -1u, 0, 1 }, 2, 7e9, 7.1e9 },
	};
	struct clock_tie ties[3];

	(void)state;
	assert_true(clock_solve(parts, 6, ties, 3) == 0);
	assert_true(clock_quad_at(&ties[1].quad, 1e9) == 0);
	assert_true(ties[1].residual >= 70e6 && ties[1].residual < 110e6);
	assert_true(fabs(clock_quad_at(&ties[2].quad, 6e9) + 5e9) < ties[2].residual);
}

static void nodes_that_never_meet_are_not_tied(void **state)
{
	struct clock_part parts[] = {
		{ { 0, 0, 1, 0, 0 }, 0, 0, INFINITY },
		{ { 0, 0, 1, 0, 0 }, 1, -INFINITY, 100 },
		{ { 0, 1, 0, 0, 0 }, 1, 200, INFINITY },
		{ { 0, 1, 0, 0, 0 }, 0, -INFINITY, 300 },
		{ { 0, 2, 2, 0, 0 }, 2, 200, INFINITY },
		{ { 0, 2, 2, 0, 0 }, 2, -INFINITY, 300 },
	};
	struct clock_tie ties[3];

	(void)state;
	assert_true(clock_solve(parts, 6, ties, 3) == 0);
	assert_true(ties[0].is_tied && ties[1].is_tied && !ties[2].is_tied);
	assert_true(clock_solve(parts, 0, ties, 3) == 0);
	assert_true(ties[0].is_tied && !ties[1].is_tied && ties[0].residual == 0);
	assert_true(clock_quad_at(&ties[0].quad, 1e9) == 0);
}

static void parts_are_put_in_the_order_of_keys(void **state)
{
	enum { N = 5000 };
	static struct clock_part parts[N], expected[N];

	(void)state;
	for (int i = 0; i < N; i++) {
		/* some in a byte, some in two, some in all */
		struct sync_event_key key = { (uint32_t)uniform(0, 2), UINT32_MAX, 7,
			(uint32_t)uniform(0, 70000), (uint32_t)uniform(0, 4e9) };

		expected[i] = parts[i] = (struct clock_part){ key, (uint32_t)uniform(0, 300), i,
			INFINITY };
	}
	qsort(expected, N, sizeof(*expected), clock_parts_compare);
	clock_parts_sort(parts, N);
	for (int i = 0; i < N; i++)
		assert_int_equal(clock_parts_compare(&parts[i], &expected[i]), 0);
	clock_parts_sort(parts, 0);
	clock_parts_sort(parts, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_put_in_the_order_of_keys),
		cmocka_unit_test(straight_clocks_keep_the_order),
		cmocka_unit_test(steered_clocks_keep_the_order),
		cmocka_unit_test(messages_round_a_ring_tie),
		cmocka_unit_test(lies_are_told),
		cmocka_unit_test(right_clocks_are_kept_where_bounds_are_wide),
		cmocka_unit_test(nodes_that_never_meet_are_not_tied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
