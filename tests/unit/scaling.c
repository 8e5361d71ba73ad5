/*
 * scaling.c - scalabilities of a strong and a weak study, worked out by hand (values above 1 stay).
 */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "metric_scaling.h"

static const struct scaling_run reference = { 2, 1000, 0.9, 1800, 3600, 3600 };

static void near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-9);
}

static void strong(void **state)
{
	struct scaling s = scaling_measure(&reference,
		&(struct scaling_run){ 4, 500, 0.8, 1600, 3800, 3040 }, false);

	(void)state;
	near(s.computation, 1.125);
	near(s.instruction, 3600.0 / 3800);
	near(s.ipc, 1.25);
	near(s.frequency, 0.95);
	near(s.instruction * s.ipc * s.frequency, s.computation);
	near(s.global_efficiency, 0.9);
	near(s.speedup, 2);
}

static void weak(void **state)
{
	struct scaling s = scaling_measure(&reference,
		&(struct scaling_run){ 4, 1250, 0.8, 4000, 8000, 8000 }, true);

	(void)state;
	near(s.computation, 0.9);
	near(s.instruction, 0.9);
	near(s.ipc, 1);
	near(s.frequency, 1);
	near(s.global_efficiency, 0.72);
	near(s.speedup, 1.6);
}

static void without_counters(void **state)
{
	struct scaling s = scaling_measure(&reference,
		&(struct scaling_run){ 4, 500, 0.8, 0, NAN, NAN }, false);

	(void)state;
	assert_true(isnan(s.instruction) && isnan(s.ipc) && isnan(s.frequency));
	assert_true(isnan(s.computation) && isnan(s.global_efficiency));
	near(s.speedup, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strong), cmocka_unit_test(weak),
		cmocka_unit_test(without_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
