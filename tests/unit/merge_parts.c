/* merge_parts.c - unit tests of merge's parts: clocks, requests, channels, strings of regions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "merge/merge_channels.h"
#include "merge/clock/clock_ticks.h"
#include "merge/walk/walk_regions.h"
#include "merge/walk/walk_requests.h"

#define EPOCH 1700000000000000000ll

/* Pairs of a counter with `mhz`, one every `every` ns, read up to `noise` ns late. */
static void pairs_make(struct spool_def_clock *pairs, unsigned n, double mhz, uint64_t every,
	unsigned noise)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t ns = 5000000000ull + i * every;

		pairs[i].ticks = (uint64_t)(ns * (mhz / 1000));
		pairs[i].monotonic_ns = ns + (noise ? i * 7919 % noise : 0);
		pairs[i].realtime_ns = pairs[i].monotonic_ns + EPOCH;
	}
}

static int64_t error_at(const struct clock *clock, uint64_t ns, double mhz)
{
	int hint = 0;

	return clock_ns(clock, (uint64_t)(ns * (mhz / 1000)), &hint) - (int64_t)ns - EPOCH;
}

static void clock_follows_the_counter(void **state)
{
	static struct spool_def_clock pairs[1000];
	struct clock clock;

	(void)state;
	pairs_make(pairs, 1000, 2445.8, 1000000000, 200);
	clock_fit(&clock, pairs, 1000, SPOOL_CLOCK_TSC);
	for (uint64_t s = 5; s < 1005; s += 50)
		assert_in_range(llabs(error_at(&clock, s * 1000000000, 2445.8)), 0, 250);
}

/* Ticks and pairs of a damaged spool: time stops at its limit, and does not turn round. */
static void clock_stands_damage(void **state)
{
	struct spool_def_clock pairs[3];
	struct clock clock;
	int hint = 0;

	(void)state;
	pairs_make(pairs, 2, 1000, 1000000000, 0);
	pairs[2] = (struct spool_def_clock){ 7, INT64_MAX, 1ull << 63 };
	clock_fit(&clock, pairs, 3, SPOOL_CLOCK_MONOTONIC);
	assert_int_equal(clock.nrejected, 1);
	assert_int_equal(error_at(&clock, 6000000000, 1000), 0);
	assert_int_equal(clock_ns(&clock, INT64_MAX, &hint), CLOCK_LIMIT_NS);
	clock_shift(&clock, INT64_MAX);
	assert_int_equal(clock_ns(&clock, 6000000000, &hint), CLOCK_LIMIT_NS);
}

static void clock_ignores_wrong_pairs(void **state)
{
	static struct spool_def_clock pairs[100];
	struct clock clock;

	(void)state;
	pairs_make(pairs, 100, 3000, 1000000000, 100);
	pairs[10].monotonic_ns += 40000000;
	pairs[50].ticks ^= 1ull << 60;
	pairs[70].monotonic_ns = 3;
	clock_fit(&clock, pairs, 100, SPOOL_CLOCK_TSC);
	assert_int_equal(clock.nrejected, 3);
	assert_in_range(llabs(error_at(&clock, 60000000000ull, 3000)), 0, 150);
}

static void clock_never_runs_backwards(void **state)
{
	static struct spool_def_clock pairs[400];
	struct clock clock;
	int64_t last = INT64_MIN;
	int hint = 0;

	(void)state;
	pairs_make(pairs, 400, 2000, 2000000000, 3000);
	for (unsigned i = 200; i < 400; i++)
		pairs[i].monotonic_ns += (i - 200) * 40000; /* slewed by 20 ppm */
	clock_fit(&clock, pairs, 400, SPOOL_CLOCK_TSC);
	assert_true(clock.npieces > 2);
	for (uint64_t ticks = pairs[0].ticks - 1000000; ticks < pairs[399].ticks + 1000000;
		ticks += 9999991) {
		int64_t ns = clock_ns(&clock, ticks, &hint);

		assert_true(ns >= last);
		last = ns;
	}
	for (int i = 1; i < clock.npieces; i++) {
		int here = 0, there = i;

		assert_true(clock_ns(&clock, clock.piece[i].ticks - 1, &here) <=
			clock_ns(&clock, clock.piece[i].ticks, &there));
	}
}

static void clock_notices_a_set_wall_clock(void **state)
{
	static struct spool_def_clock pairs[20];
	struct clock clock;

	(void)state;
	pairs_make(pairs, 20, 1000, 100000000, 0);
	for (unsigned i = 12; i < 20; i++)
		pairs[i].realtime_ns -= 3600000000000ull;
	clock_fit(&clock, pairs, 20, SPOOL_CLOCK_TSC);
	assert_int_equal(clock.jump_ns, -3600000000000ll);
	assert_in_range(llabs(error_at(&clock, 6500000000ull, 1000)), 0, 2);
}

static void clock_of_nanoseconds_needs_no_fit(void **state)
{
	struct spool_def_clock pair = { 77, 77, 77 + EPOCH };
	struct clock clock;
	int hint = 0;

	(void)state;
	clock_fit(&clock, &pair, 1, SPOOL_CLOCK_MONOTONIC);
	assert_true(clock_ns(&clock, 123456789, &hint) == 123456789 + EPOCH);
	clock_fit(&clock, NULL, 0, SPOOL_CLOCK_TSC);
	assert_true(clock_ns(&clock, 5, &hint) == 5);
}

/* A drift has to be right to the ns on a machine that is up for 100 days, hours after the first pair. */
static void clock_bends_exactly_long_after_boot(void **state)
{
	const uint64_t boot = 8640000ull * 1000000000;
	struct spool_def_clock pair = { boot, boot, boot };
	const double drift = 40.0001e-6;
	struct clock_quad quad = { .from = 0,
		.span = 1e9,
		.n = 2,
		.at = { 5000, 5000 + 1e9 * drift } };
	struct clock clock;
	int hint = 0;

	(void)state;
	clock_fit(&clock, &pair, 1, SPOOL_CLOCK_MONOTONIC);
	clock_bend(&clock, (int64_t)boot, &quad);
	for (int64_t s = 0; s < 36000; s += 600) {
		int64_t ns = s * 1000000000, truth = ns + 5000 + llround((double)ns * drift);

		assert_in_range(llabs(clock_ns(&clock, boot + ns, &hint) - (int64_t)boot - truth),
			0, 2);
	}
}

static uint64_t post(struct requests *r, uint32_t number, uint64_t start)
{
	struct walk_request request = { .number = number, .kind = REQUEST_SEND, .start = start };

	assert_int_equal(requests_post(r, &request), 0);
	return request.id;
}

static void request_goes_to_the_post_before_the_wait(void **state)
{
	struct requests r = { 0 };
	struct walk_request got;
	uint64_t first = post(&r, 9, 100), second = post(&r, 9, 300);

	(void)state;
	/* The Wait began at 200; the handle was handed out again at 300, before it returned. */
	assert_int_equal(requests_take(&r, 9, 200, &got), 0);
	assert_int_equal(got.id, first);
	assert_int_equal(requests_take(&r, 9, 200, &got), -1);
	assert_int_equal(requests_take(&r, 9, 400, &got), 0);
	assert_int_equal(got.id, second);
	assert_int_equal(r.pending, 0);
	requests_free(&r);
}

static void request_numbers_may_be_open_several_times(void **state)
{
	struct requests r = { 0 };
	struct walk_request got;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		post(&r, i % 3, i);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(requests_take(&r, i % 3, 1000, &got), 0);
	assert_int_equal(requests_take(&r, 0, 1000, &got), -1);
	assert_int_equal(r.size, 1024);
	requests_free(&r);
}

static void requests_use_memory_for_those_in_flight(void **state)
{
	struct requests r = { 0 };
	struct walk_request got;

	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		post(&r, i, i);
		assert_int_equal(requests_take(&r, i, i, &got), 0);
	}
	assert_int_equal(r.size, 64);
	requests_free(&r);
}

static void channels_keep_those_that_differ(void **state)
{
	struct merge_channels c = { 0 }, more = { 0 };
	struct merge_channel key = { .comm = 1 };

	(void)state;
	for (uint32_t i = 0; i < 5000; i++) {
		key.tag = i;
		channel_get(&c, &key)->sends += 2;
		channel_get(&more, &key)->recvs += i == 4321 ? 1 : 2;
	}
	assert_int_equal(channels_add(&c, &more), 0);
	assert_int_equal(channels_keep_unequal(&c), 0);
	assert_int_equal(c.n, 1);
	key.tag = 4321;
	assert_int_equal(channel_find(&c, &key)->matched, 1);
	key.tag = 1;
	assert_null(channel_find(&c, &key));
	channels_free(&c);
	channels_free(&more);
}

static void regions_are_known_by_name(void **state)
{
	(void)state;
	regions_init();
	assert_int_equal(region_infos[REGION_MPI_Iallreduce].collective,
		OTF2_COLLECTIVE_OP_ALLREDUCE);
	assert_int_equal(region_infos[REGION_MPI_Reduce_scatter_block].collective,
		OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK);
	assert_int_equal(region_infos[REGION_MPI_Neighbor_alltoallw_init_c].collective,
		OTF2_COLLECTIVE_OP_ALLTOALLW);
	assert_int_equal(region_infos[REGION_MPI_Comm_split].collective,
		OTF2_COLLECTIVE_OP_CREATE_HANDLE);
	assert_int_equal(region_infos[REGION_MPI_Send].collective, COLLECTIVE_NONE);
	assert_int_equal(region_infos[REGION_MPI_Issend].p2p, REQUEST_SEND);
	assert_int_equal(region_infos[REGION_MPI_Imrecv].p2p, REQUEST_RECV);
	assert_int_equal(region_infos[REGION_MPI_Probe].p2p, 0);
	assert_int_equal(region_infos[REGION_pread64].io, IO_OP_READ);
	assert_int_equal(region_infos[REGION___fgets_chk].io, IO_OP_READ);
	assert_int_equal(region_infos[REGION_fputs].io, IO_OP_WRITE);
	assert_int_equal(region_infos[REGION_fdatasync].io, IO_OP_FLUSH);
	assert_int_equal(region_infos[REGION_fopen64].io, IO_OP_CREATE);
	assert_int_equal(region_infos[REGION_fclose].io, IO_OP_DESTROY);
	assert_int_equal(region_infos[REGION_readdir].io, IO_OP_NONE);
	assert_int_equal(region_infos[REGION_readahead].io, IO_OP_NONE);
	assert_int_equal(region_infos[REGION_MPI_File_write_at_all].io, IO_OP_WRITE);
	assert_int_equal(region_infos[REGION_MPI_File_sync].io, IO_OP_FLUSH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_follows_the_counter),
		cmocka_unit_test(clock_ignores_wrong_pairs),
		cmocka_unit_test(clock_stands_damage),
		cmocka_unit_test(clock_never_runs_backwards),
		cmocka_unit_test(clock_notices_a_set_wall_clock),
		cmocka_unit_test(clock_of_nanoseconds_needs_no_fit),
		cmocka_unit_test(clock_bends_exactly_long_after_boot),
		cmocka_unit_test(request_goes_to_the_post_before_the_wait),
		cmocka_unit_test(request_numbers_may_be_open_several_times),
		cmocka_unit_test(requests_use_memory_for_those_in_flight),
		cmocka_unit_test(channels_keep_those_that_differ),
		cmocka_unit_test(regions_are_known_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
