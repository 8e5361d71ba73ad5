/*
 * socket_log.c - bursts of sent bytes: however many there are, the sum between two pauses is exact,
 * in whatever order threads report it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tables/socket_log.h"

enum { STEPS = 100, SENDS = 1000, PAUSE_NS = 1000000, APART_NS = 500 };

static int64_t time_of(int step, int send)
{
	return (int64_t)step * (PAUSE_NS + SENDS * APART_NS) + send * APART_NS;
}

static void bytes_between_pauses_are_exact(void **state)
{
	struct socket_log log = { 0 };

	(void)state;
	/* one thread has sent the even ones, another one the odd ones, and is read later */
	for (int odd = 0; odd < 2; odd++)
		for (int step = 0; step < STEPS; step++)
			for (int send = odd; send < SENDS; send += 2)
				assert_int_equal(socket_log_add(&log, time_of(step, send), 7), 0);
	assert_true(log.n < 5000);
	assert_int_equal(socket_log_bytes(&log, 0, INT64_MAX), 7 * STEPS * SENDS);
	assert_int_equal(socket_log_bytes(&log, time_of(3, 0), time_of(5, 0) - 1), 7 * 2 * SENDS);
	assert_int_equal(socket_log_bytes(&log, time_of(STEPS, 0), INT64_MAX), 0);
	socket_log_free(&log);
}

static void few_are_kept_as_they_are(void **state)
{
	struct socket_log log = { 0 };

	(void)state;
	assert_int_equal(socket_log_bytes(&log, 0, INT64_MAX), 0);
	for (int i = 0; i < 10; i++)
		socket_log_add(&log, i, 1);
	assert_int_equal(socket_log_bytes(&log, 3, 5), 3);
	socket_log_free(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_between_pauses_are_exact),
		cmocka_unit_test(few_are_kept_as_they_are),
	};

	return cmocka_run_group_tests_name("bytes through sockets", tests, NULL, NULL);
}
