/*
 * mpi_map.c - the map from MPI handles to their properties: many handles, handles forgotten and
 * handed out again, a reader next to the writer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi/mpi_map.h"

enum { HANDLES = 100000 };

/* As Open MPI's: addresses of objects in a row. */
static mpi_handle handle_of(uintptr_t i)
{
	return 0x7f0012340000 + 384 * i;
}

static void test_empty(void **state)
{
	struct map map = MAP_EMPTY;

	(void)state;
	assert_int_equal(map_get(&map, 5), 0);
	map_set(&map, 0, 7); /* handle 0 is none */
	assert_int_equal(map_get(&map, 0), 0);
}

static void test_many(void **state)
{
	struct map map = MAP_EMPTY;

	(void)state;
	for (uintptr_t i = 0; i < HANDLES; i++)
		map_set(&map, handle_of(i), i + 1);
	for (uintptr_t i = 0; i < HANDLES; i++)
		assert_int_equal(map_get(&map, handle_of(i)), i + 1);
	assert_int_equal(map_get(&map, handle_of(HANDLES)), 0);
}

static void test_numbers_in_a_row(void **state)
{
	struct map map = MAP_EMPTY;

	(void)state;
	for (uintptr_t i = 0; i < HANDLES; i++) /* as MPICH's */
		map_set(&map, 0x84000000 + i, i + 1);
	for (uintptr_t i = 0; i < HANDLES; i++)
		assert_int_equal(map_get(&map, 0x84000000 + i), i + 1);
}

static void test_forget_and_reuse(void **state)
{
	struct map map = MAP_EMPTY;

	(void)state;
	for (uintptr_t i = 0; i < HANDLES; i++) {
		map_set(&map, handle_of(i % 3), i + 1);
		assert_int_equal(map_get(&map, handle_of(i % 3)), i + 1);
		map_set(&map, handle_of(i % 3), 0);
		assert_int_equal(map_get(&map, handle_of(i % 3)), 0);
	}
	assert_true(atomic_load(&map.table)->used <= 3);
}

/* Handles that never come again leave the table when it grows. */
static void test_forgotten_leave(void **state)
{
	struct map map = MAP_EMPTY;

	(void)state;
	map_set(&map, 1, 42);
	for (uintptr_t i = 0; i < 300; i++) {
		map_set(&map, handle_of(i), 1);
		map_set(&map, handle_of(i), 0);
	}
	assert_int_equal(map_get(&map, 1), 42);
	assert_true(atomic_load(&map.table)->used < 300);
}

static struct map shared = MAP_EMPTY;
static _Atomic int is_over;

static void *read_all_the_time(void *arg)
{
	uintptr_t wrong = 0;

	while (!atomic_load(&is_over))
		for (uintptr_t i = 0; i < 64; i++)
			wrong += map_get(&shared, handle_of(i)) != i + 1;
	return (void *)(wrong + (uintptr_t)arg);
}

static void test_reader_beside_writer(void **state)
{
	pthread_t reader;
	void *wrong = (void *)1;

	(void)state;
	for (uintptr_t i = 0; i < 64; i++)
		map_set(&shared, handle_of(i), i + 1);
	assert_int_equal(pthread_create(&reader, NULL, read_all_the_time, NULL), 0);
	for (uintptr_t i = 64; i < HANDLES; i++) /* grows several times */
		map_set(&shared, handle_of(i), i + 1);
	atomic_store(&is_over, 1);
	pthread_join(reader, &wrong);
	assert_int_equal((uintptr_t)wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_numbers_in_a_row),
		cmocka_unit_test(test_forget_and_reuse),
		cmocka_unit_test(test_forgotten_leave),
		cmocka_unit_test(test_reader_beside_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
