/*
 * clock_offset_test.c - clock_offset_fit finds a known offset and drift, within the bound that it
 * states.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "merge/clock/clock_offset.h"

#define NBOUNDS 500

static double uniform(unsigned *seed, double to)
{
	return to * rand_r(seed) / RAND_MAX;
}

/* Bounds around offset + drift·t, with independent delays of at least `least` ns on both sides. */
static void bounds_make(struct clock_bound *bounds, size_t n, double offset, double drift,
	double least, unsigned seed)
{
	for (size_t i = 0; i < n; i++) {
		double at = 1e15 + 1e7 * (double)i + uniform(&seed, 1e6);
		double true_value = offset + drift * (at - 1e15);

		bounds[i] = (struct clock_bound){ at, true_value - least - uniform(&seed, 1e5),
			true_value + least + uniform(&seed, 1e5) };
	}
}

static void finds_offset_and_drift_within_its_bound(void **state)
{
	struct clock_bound bounds[NBOUNDS];

	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++) {
		double offset = 1e6 * (seed - 10.0), drift = 1e-6 * (seed - 7.0);
		struct clock_offset fit;

		bounds_make(bounds, NBOUNDS, offset, drift, 1000, seed);
		assert_int_equal(clock_offset_fit(bounds, NBOUNDS, &fit), 0);
		assert_true(fit.violation == 0);
		assert_true(fit.error < 20000);
		for (size_t i = 0; i < NBOUNDS; i += 50) {
			double at = bounds[i].at, truth = offset + drift * (at - 1e15);

			assert_true(fabs(clock_offset_at(&fit, at) - truth) <= fit.error + 1);
		}
	}
}

static void stays_within_every_bound(void **state)
{
	struct clock_bound bounds[NBOUNDS], fitted[NBOUNDS];
	struct clock_offset fit;

	(void)state;
	bounds_make(bounds, NBOUNDS, -123456, 0.0009, 10, 3);
	memcpy(fitted, bounds, sizeof(bounds));
	assert_int_equal(clock_offset_fit(fitted, NBOUNDS, &fit), 0);
	for (size_t i = 0; i < NBOUNDS; i++) {
		double value = clock_offset_at(&fit, bounds[i].at);

		assert_true(value >= bounds[i].low - 0.5 && value <= bounds[i].high + 0.5);
	}
}

static void one_bound_gives_its_middle(void **state)
{
	struct clock_bound bound = { 5e9, -100, 300 };
	struct clock_offset fit;

	(void)state;
	assert_int_equal(clock_offset_fit(&bound, 1, &fit), 0);
	assert_true(fit.drift == 0 && fit.offset == 100 && fit.error == 200);
}

/* At most 1 ms/s, lines through these have 5 ms at the first at most, and -6 ms at the last. */
static void wide_bounds_keep_a_clock_within_them(void **state)
{
	struct clock_bound bounds[] = { { 0, -5e6, 9e6 }, { 1e9, -8e6, 4e6 } };
	struct clock_bound tight = { 5e9, -1e6, 0.5e6 }, beside = { 5e9, 1e6, 9e6 };
	struct clock_offset fit;

	(void)state;
	assert_int_equal(clock_offset_fit(bounds, 2, &fit), 0);
	assert_true(fit.offset == 0 && fit.drift == 0);
	assert_true(fabs(fit.error - 6e6) < 1);
	assert_int_equal(clock_offset_fit(&tight, 1, &fit), 0);
	assert_true(fit.offset == -0.25e6 && fit.error == 0.75e6);
	assert_int_equal(clock_offset_fit(&beside, 1, &fit), 0);
	assert_true(fit.offset == 5e6 && fit.error == 4e6);
}

static void a_clock_that_jumps_is_a_violation(void **state)
{
	struct clock_bound bounds[] = { { 0, -10, 10 }, { 1e9, 990, 1010 }, { 2e9, -10, 10 } };
	struct clock_offset fit;

	(void)state;
	assert_int_equal(clock_offset_fit(bounds, 3, &fit), 0);
	assert_true(fit.violation > 400);
}

static void nothing_to_fit_is_an_error(void **state)
{
	struct clock_offset fit;

	(void)state;
	assert_int_equal(clock_offset_fit(NULL, 0, &fit), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_offset_and_drift_within_its_bound),
		cmocka_unit_test(stays_within_every_bound),
		cmocka_unit_test(one_bound_gives_its_middle),
		cmocka_unit_test(wide_bounds_keep_a_clock_within_them),
		cmocka_unit_test(a_clock_that_jumps_is_a_violation),
		cmocka_unit_test(nothing_to_fit_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
