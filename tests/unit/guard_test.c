/*
 * guard_test.c - analyzer/base/guard.c: whatever happens to the child, the parent continues and
 * knows it.
 */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/guard.h"

static int succeed(void *argument)
{
	guard->location = 7;
	return *(int *)argument;
}

static int crash(void *argument)
{
	(void)argument;
	guard->stage = GUARD_EVENTS;
	guard->location = 42;
	signal(SIGSEGV, SIG_DFL); /* cmocka has taken it */
	raise(SIGSEGV);
	return 0;
}

static int spin(void *argument)
{
	(void)argument;
	for (volatile uint64_t i = 0;; i++)
		continue;
	return 0;
}

/* Works for longer than is allowed without progress. */
static int work_long(void *argument)
{
	(void)argument;
	for (volatile uint64_t i = 0; i < UINT64_C(600000000); i++)
		guard->progress++;
	return 0;
}

static int leave_program(void *argument)
{
	(void)argument;
	_exit(0);
}

static bool memory_there(void)
{
	return mmap(NULL, (size_t)8 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0) != MAP_FAILED;
}

/* 8 GiB, of which there are 4 until more is granted. */
static int take_memory(void *argument)
{
	(void)argument;
	if (memory_there())
		return -1;
	guard_memory((uint64_t)16 << 30);
	return memory_there() ? 0 : -1;
}

static int crash_with_file(void *argument)
{
	snprintf(guard->temporary, sizeof(guard->temporary), "%s", (char *)argument);
	return crash(NULL);
}

static void results_pass(void **state)
{
	struct guard at;
	struct guard_end end;

	(void)state;
	end = guard_run(succeed, &(int){ 0 }, 0, &at);
	assert_int_equal(end.status, 0);
	assert_false(end.ended);
	assert_int_equal(at.location, 7);
	end = guard_run(succeed, &(int){ -1 }, 0, &at);
	assert_int_equal(end.status, -1);
	assert_false(end.ended);
}

static void crash_is_told(void **state)
{
	struct guard at;
	struct guard_end end = guard_run(crash, NULL, 0, &at);

	(void)state;
	assert_true(end.ended);
	assert_int_equal(end.status, -1);
	assert_non_null(strstr(end.how, "crashed"));
	assert_int_equal(at.stage, GUARD_EVENTS);
	assert_int_equal(at.location, 42);
}

static void standing_still_is_ended(void **state)
{
	struct guard at;
	struct guard_end end;

	(void)state;
	setenv("TACHO_STALL_S", "0.2", 1);
	end = guard_run(spin, NULL, 0, &at);
	assert_true(end.ended);
	assert_non_null(strstr(end.how, "did not get on"));
	end = guard_run(work_long, NULL, 0, &at);
	assert_false(end.ended);
	unsetenv("TACHO_STALL_S");
}

static void leaving_is_told(void **state)
{
	struct guard at;
	struct guard_end end = guard_run(leave_program, NULL, 0, &at);

	(void)state;
	assert_true(end.ended);
	assert_int_equal(end.status, -1);
}

static void memory_is_limited(void **state)
{
	struct guard at;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	/* its shadow memory is beyond any limit; skip() prints "not ok" */
	(void)at, (void)take_memory;
#else
	assert_int_equal(guard_run(take_memory, NULL, (uint64_t)4 << 30, &at).status, 0);
#endif
}

static void temporary_file_is_removed(void **state)
{
	char path[] = "/tmp/guard-XXXXXX";
	int fd = mkstemp(path);
	struct guard at;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	guard_run(crash_with_file, path, 0, &at);
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_pass),
		cmocka_unit_test(crash_is_told),
		cmocka_unit_test(standing_still_is_ended),
		cmocka_unit_test(leaving_is_told),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(temporary_file_is_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
