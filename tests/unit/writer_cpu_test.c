/*
 * writer_cpu_test.c - analyzer/parallel/writer_cpu.c: with fewer cores than workers the writer
 * moves to the core of the reader that is ahead, and comes back in the end.
 */
#include "config.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "parallel/writer_cpu.h"
#include "base/shm_ring.h"

enum { READERS = 2, PLACES = READERS + 1 };

struct world {
	struct link link;
	cpu_set_t allowed;	     /* of this program */
	int cpus[READERS], nreaders; /* the first ones of them */
};

static void be_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void assert_only(int cpu)
{
	cpu_set_t now;

	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(CPU_ISSET(cpu, &now));
}

/* Reader `number` on its CPU, with that part done; then this is the writer again, where it was. */
static void reader_tell(struct world *world, int number, double part)
{
	struct link reader = world->link;
	cpu_set_t before;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	reader.place = (uint32_t)number + 1;
	be_on(world->cpus[number]);
	link_show_core(&reader, part);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static int world_make(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	int n = 0;

	if (!world || sched_getaffinity(0, sizeof(world->allowed), &world->allowed) < 0 ||
		link_open(&world->link, PLACES) < 0)
		return -1;
	link_slot(&world->link, 0, 0, PLACES);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < READERS; cpu++)
		if (CPU_ISSET(cpu, &world->allowed))
			world->cpus[n++] = cpu;
	world->nreaders = n;
	*state = world;
	return 0;
}

static int world_free(void **state)
{
	struct world *world = *state;

	sched_setaffinity(0, sizeof(world->allowed), &world->allowed);
	link_close(&world->link);
	free(world);
	return 0;
}

static struct world *world_of(void **state)
{
	struct world *world = *state;

	if (world->nreaders < READERS)
		skip(); /* one core: there is nowhere to go */
	return world;
}

static void writer_goes_to_who_is_ahead(void **state)
{
	struct world *world = world_of(state);
	struct core core;

	reader_tell(world, 0, 0.7);
	reader_tell(world, 1, 0.2);
	be_on(world->cpus[1]);
	writer_cpu_begin(&core);
	writer_cpu_choose(&core, &world->link);
	assert_only(world->cpus[0]);
	reader_tell(world, 1, 0.8);
	writer_cpu_choose(&core, &world->link);
	assert_only(world->cpus[1]);
	reader_tell(world, 0, 4); /* an archive that counts too few events */
	writer_cpu_choose(&core, &world->link);
	assert_only(world->cpus[0]);
	writer_cpu_end(&core);
	assert_only(world->cpus[1]);
}

static void nobody_has_said_where_he_is(void **state)
{
	struct world *world = world_of(state);
	struct core core;

	be_on(world->cpus[1]);
	writer_cpu_begin(&core);
	writer_cpu_choose(&core, &world->link);
	assert_only(world->cpus[1]);
	writer_cpu_end(&core);
	assert_only(world->cpus[1]);
}

static void enough_cores_are_left_to_the_kernel(void **state)
{
	struct world *world = world_of(state);
	cpu_set_t two, now;
	struct core core;

	reader_tell(world, 0, 0.5);
	CPU_ZERO(&two);
	CPU_SET(world->cpus[0], &two);
	CPU_SET(world->cpus[1], &two);
	assert_int_equal(sched_setaffinity(0, sizeof(two), &two), 0);
	world->link.nlocal = 2; /* one reader and the writer */
	writer_cpu_begin(&core);
	writer_cpu_choose(&core, &world->link);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &two));
	writer_cpu_end(&core);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(writer_goes_to_who_is_ahead, world_make,
			world_free),
		cmocka_unit_test_setup_teardown(nobody_has_said_where_he_is, world_make,
			world_free),
		cmocka_unit_test_setup_teardown(enough_cores_are_left_to_the_kernel, world_make,
			world_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
