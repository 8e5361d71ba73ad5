/*
 * The decoder of CUPTI's activity records, on bytes as each version of CUPTI lays them
 * out: places of fields are written down here once more, from the headers of CUDA 10 to 13, and
 * not taken from the decoder's own structs.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/cuda/cuda_callbacks.h"
#include "collector/core/define.h"

struct cupti tacho_cupti = { .version = 130000 };
static struct spool_def_stream defined;
static unsigned ndefined;

/* --- the decoder's calls of the rest of the library --- */

void cuda_context_learn(uint32_t context, uint32_t device)
{
	if (device) /* zeroes represent nothing */
		assert_int_equal(context, device + 1);
}

uint32_t cuda_context_device(uint32_t context)
{
	return context == 9 ? SPOOL_DEVICE_NONE : context - 1;
}
uint32_t cuda_stream_number(uint32_t context, uint32_t stream)
{
	return stream + 100 * (context - 1);
}
uint32_t cuda_kernel_number(const char *name)
{
	return name && !strcmp(name, "kernel") ? 77 : 0;
}
/* Of the runtime 211, of the driver 307; up to tick 5000. */
unsigned cuda_launch_by_record(int domain, uint32_t number, uint64_t start)
{
	if (start > 5000)
		return REGION_NONE;
	return domain == DOMAIN_RUNTIME && number == 211   ? REGION_cudaLaunchKernel
		: domain == DOMAIN_DRIVER && number == 307 ? REGION_cuLaunchKernel
							   : REGION_NONE;
}

uint64_t cuda_ticks(uint64_t time)
{
	return 2 * time;
}
bool cuda_is_recorded(uint64_t start, uint64_t end)
{
	return start >= 10 && end < 100000;
}
uint32_t process_allot(unsigned type)
{
	return type == DEF_STREAM ? ++ndefined : 0;
}

int process_define(const struct def *def)
{
	assert_int_equal(def->type, DEF_STREAM);
	assert_int_equal(def->nbody, sizeof(defined));
	memcpy(&defined, def->body, sizeof(defined));
	return 0;
}

/* --- records, byte by byte --- */

struct bytes {
	/* bytes after a record must not be read: 0xa5 all over */
	unsigned char at[512];
	size_t size;
};

static struct bytes bytes_new(size_t size, uint32_t kind)
{
	struct bytes b = { .size = size };

	memset(b.at, 0xa5, sizeof(b.at));
	memset(b.at, 0, size);
	memcpy(b.at, &kind, 4);
	return b;
}

static void put(struct bytes *b, size_t at, size_t size, uint64_t value)
{
	assert_true(at + size <= b->size);
	memcpy(b->at + at, &value, size);
}

/* Decodes from a heap block of just that size, so that a sanitizer sees one byte too many. */
static enum decoded decode_room(const struct bytes *b, size_t room, struct gpu_record *r)
{
	unsigned char *block = malloc(room ? room : 1);
	enum decoded ret;

	assert_non_null(block);
	memcpy(block, b->at, room);
	ret = cuda_decode(block, room, r);
	free(block);
	return ret;
}

static enum decoded decode(const struct bytes *b, struct gpu_record *r)
{
	return decode_room(b, b->size, r);
}

static struct bytes kernel_bytes(size_t size)
{
	static const char *name = "kernel";
	struct bytes b = bytes_new(size, 10);

	put(&b, 6, 2, 32); /* registers */
	put(&b, 16, 8, 1000);
	put(&b, 24, 8, 1500);
	put(&b, 40, 4, 1); /* device */
	put(&b, 44, 4, 2); /* context */
	put(&b, 48, 4, 7); /* stream */
	put(&b, 52, 4, 10), put(&b, 56, 4, 20), put(&b, 60, 4, 2);
	put(&b, 64, 4, 16), put(&b, 68, 4, 8), put(&b, 72, 4, 1);
	put(&b, 92, 4, 4711);
	put(&b, 104, 8, (uintptr_t)name);
	return b;
}

static void check_kernel(const struct gpu_record *r, uint64_t node)
{
	assert_int_equal(r->type, SPOOL_KERNEL);
	assert_int_equal(r->a, 77);
	assert_int_equal(r->start, 2000);
	assert_int_equal(r->end, 3000);
	assert_int_equal(r->nwords, 4);
	assert_int_equal(r->words[0], spool_pair(4711, 107));
	assert_int_equal(r->words[1], spool_pair(1, 2));
	assert_int_equal(r->words[2], 400 | 128ull << 32 | 32ull << 48);
	assert_int_equal(r->words[3], node);
	assert_int_equal(r->correlation, 4711);
}

/* Kernel4 (CUDA 9 to 10), 5, 6, 7, 8 (11), 9 (12), 10 (13): sizes from the headers. */
static void kernels_of_all_versions_are_read(void **state)
{
	static const struct {
		size_t size;
		uint32_t version;
		int has_node;
	} layouts[] = {
		{ 144, 12, 0 },
		{ 160, 14, 1 },
		{ 168, 14, 1 },
		{ 176, 15, 1 },
		{ 200, 17, 1 },
		{ 208, 18, 1 },
		{ 216, 130000, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		struct bytes b = kernel_bytes(layouts[i].size);
		struct gpu_record r;

		tacho_cupti.version = layouts[i].version;
		if (layouts[i].has_node)
			put(&b, 144, 8, 0x1122334455667788);
		assert_int_equal(decode(&b, &r), DECODED_RECORD);
		check_kernel(&r, layouts[i].has_node ? 0x1122334455667788 : 0);
		/* a next record after it is not taken for the node */
		assert_int_equal(decode_room(&b, sizeof(b.at), &r), DECODED_RECORD);
		check_kernel(&r, layouts[i].has_node ? 0x1122334455667788 : 0);
	}
	tacho_cupti.version = 130000;
}

static void sizes_beyond_their_room_are_told_as_the_most(void **state)
{
	struct bytes b = kernel_bytes(216);
	struct gpu_record r;

	(void)state;
	put(&b, 52, 4, 0x7fffffff), put(&b, 56, 4, 65535), put(&b, 60, 4, 65535);
	put(&b, 64, 4, 0xffff), put(&b, 68, 4, 2);
	assert_int_equal(decode(&b, &r), DECODED_RECORD);
	assert_int_equal((uint32_t)r.words[2], UINT32_MAX);
	assert_int_equal(r.words[2] >> 32 & 0xffff, UINT16_MAX);
}

static struct bytes copy_bytes(size_t size, unsigned copy, unsigned source, unsigned dest,
	unsigned flags)
{
	struct bytes b = bytes_new(size, 1);

	put(&b, 4, 1, copy), put(&b, 5, 1, source), put(&b, 6, 1, dest), put(&b, 7, 1, flags);
	put(&b, 8, 8, 0x100000001);
	put(&b, 16, 8, 50), put(&b, 24, 8, 60);
	put(&b, 36, 4, 1), put(&b, 40, 4, 13), put(&b, 44, 4, 5);
	return b;
}

/* Memcpy to Memcpy6; the node counts from CUDA 11.1 on. */
static void copies_tell_kind_memory_and_bytes(void **state)
{
	static const struct {
		unsigned copy, source, dest, flags;
		uint32_t word;
	} cases[] = {
		{ 1, 1, 3, 0, 0x00030101 },
		{ 1, 2, 3, 1, 0x01030201 },
		{ 2, 3, 1, 0, 0x00010302 },
		{ 8, 3, 3, 1, 0x01030303 },
		{ 9, 1, 1, 0, 0x00010100 },
		{ 3, 1, 4, 0, 0x00040101 },
		{ 10, 3, 3, 0, 0x00030300 },
		{ 1, 7, 6, 0, 0x00030501 },
		{ 200, 200, 200, 254, 0 },
	};
	static const size_t sizes[] = { 64, 72, 80, 88, 96 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
			struct bytes b = copy_bytes(sizes[k], cases[i].copy, cases[i].source,
				cases[i].dest, cases[i].flags);
			struct gpu_record r;

			tacho_cupti.version = sizes[k] > 72 ? 130000 : 13;
			if (sizes[k] > 64)
				put(&b, 64, 8, 99);
			assert_int_equal(decode(&b, &r), DECODED_RECORD);
			assert_int_equal(r.type, SPOOL_COPY);
			assert_int_equal(r.a, cases[i].word);
			assert_int_equal(r.words[0], spool_pair(5, 13));
			assert_int_equal(r.words[1], spool_pair(0, 1));
			assert_int_equal(r.words[2], 0x100000001);
			assert_int_equal(r.words[3], sizes[k] > 72 ? 99 : 0);
			assert_int_equal(r.nwords, 4);
		}
}

static void copies_between_devices_name_the_other_one(void **state)
{
	struct bytes b = bytes_new(96, 22);
	struct gpu_record r;

	(void)state;
	put(&b, 4, 1, 10), put(&b, 5, 1, 3), put(&b, 6, 1, 3), put(&b, 7, 1, 1);
	put(&b, 8, 8, 4096), put(&b, 16, 8, 50), put(&b, 24, 8, 60);
	put(&b, 32, 4, 1), put(&b, 36, 4, 2), put(&b, 40, 4, 13);
	put(&b, 44, 4, 1), put(&b, 48, 4, 2), put(&b, 52, 4, 3), put(&b, 56, 4, 4);
	put(&b, 60, 4, 8), put(&b, 72, 8, 44);
	assert_int_equal(decode(&b, &r), DECODED_RECORD);
	assert_int_equal(r.a,
		spool_copy_word(SPOOL_COPY_P2P, SPOOL_MEMORY_DEVICE, SPOOL_MEMORY_DEVICE, 1));
	assert_int_equal(r.words[0], spool_pair(8, 113));
	assert_int_equal(r.words[3], 44);
	assert_int_equal(r.words[4], 3);
	assert_int_equal(r.nwords, 5);
}

/* Memset to Memset4. */
static void sets_are_read(void **state)
{
	static const size_t sizes[] = { 64, 72, 80, 88 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct bytes b = bytes_new(sizes[i], 2);
		struct gpu_record r;

		put(&b, 4, 4, 0xff), put(&b, 8, 8, 640), put(&b, 16, 8, 5), put(&b, 24, 8, 5);
		put(&b, 36, 4, 1), put(&b, 40, 4, 7), put(&b, 44, 4, 3), put(&b, 48, 2, 1),
			put(&b, 50, 2, 3);
		assert_int_equal(decode(&b, &r), DECODED_RECORD);
		assert_int_equal(r.a,
			spool_copy_word(SPOOL_COPY_MEMSET, 0, SPOOL_MEMORY_DEVICE, 1));
		assert_int_equal(r.start, r.end);
		assert_int_equal(r.words[2], 640);
	}
}

static void synchronisations_have_a_device_by_their_context(void **state)
{
	static const size_t sizes[] = { 40, 56 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bytes b = bytes_new(sizes[i], 38);
		struct gpu_record r;

		put(&b, 4, 4, 3), put(&b, 8, 8, 10), put(&b, 16, 8, 30);
		put(&b, 24, 4, 6), put(&b, 28, 4, 2), put(&b, 32, 4, 0xffffffff),
			put(&b, 36, 4, 12);
		assert_int_equal(decode(&b, &r), DECODED_RECORD);
		assert_int_equal(r.type, SPOOL_GPU_SYNC);
		assert_int_equal(r.a, SPOOL_GPU_SYNC_STREAM);
		assert_int_equal(r.words[0], spool_pair(6, SPOOL_STREAM_NONE));
		assert_int_equal(r.words[1], spool_pair(1, 2));
		assert_int_equal(r.words[2], 12);
	}
}

static void overhead_is_read(void **state)
{
	static const size_t sizes[] = { 40, 48, 56 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct bytes b = bytes_new(sizes[i], 17);
		struct gpu_record r;

		put(&b, 4, 4, 1 << 16), put(&b, 12, 4, 100), put(&b, 16, 4, 101);
		put(&b, 24, 8, 10), put(&b, 32, 8, 11);
		assert_int_equal(decode(&b, &r), DECODED_RECORD);
		assert_int_equal(r.type, SPOOL_OVERHEAD);
		assert_int_equal(r.a, 1 << 16);
		assert_int_equal(r.words[0], 101);
		assert_int_equal(r.end - r.start, 2);
	}
}

static struct bytes api_bytes(uint32_t kind, uint32_t number, uint64_t start, uint32_t result)
{
	struct bytes b = bytes_new(40, kind);

	put(&b, 4, 4, number);
	put(&b, 8, 8, start), put(&b, 16, 8, start + 100);
	put(&b, 24, 4, 55), put(&b, 28, 4, 56); /* process, thread */
	put(&b, 32, 4, 4711), put(&b, 36, 4, result);
	return b;
}

static void launches_are_read_and_other_calls_are_not(void **state)
{
	struct bytes b = api_bytes(5, 211, 1000, 0);
	struct gpu_record r;

	(void)state;
	assert_int_equal(decode(&b, &r), DECODED_RECORD);
	assert_int_equal(r.type, SPOOL_LAUNCH);
	assert_int_equal(r.region, REGION_cudaLaunchKernel);
	assert_int_equal(r.a, 4711);
	assert_int_equal(r.start, 2000);
	assert_int_equal(r.end, 2200);
	assert_int_equal(r.nwords, 1);
	assert_int_equal(r.words[0], 56);
	assert_int_equal(r.correlation, 0); /* of a capture window */
	b = api_bytes(4, 307, 1000, 0);
	assert_int_equal(decode(&b, &r), DECODED_RECORD);
	assert_int_equal(r.region, REGION_cuLaunchKernel);
	b = api_bytes(5, 211, 1000, 1);
	assert_int_equal(decode(&b, &r), DECODED_RECORD);
	assert_int_equal(r.a, 0); /* it failed */
	b = api_bytes(5, 20, 1000, 0);
	assert_int_equal(decode(&b, &r), DECODED_NOTHING);
	b = api_bytes(5, 211, 4000, 0);
	assert_int_equal(decode(&b, &r), DECODED_NOTHING); /* by callback then */
	b = api_bytes(5, 211, 0, 0);
	assert_int_equal(decode(&b, &r), DECODED_UNTIMED);
	b = api_bytes(5, 211, 1000, 0);
	assert_int_equal(decode_room(&b, 39, &r), DECODED_SHORT);
}

static void streams_and_contexts_become_definitions(void **state)
{
	struct bytes b = bytes_new(24, 37);
	struct gpu_record r;

	(void)state;
	put(&b, 4, 4, 2), put(&b, 8, 4, 14), put(&b, 12, 4, (uint32_t)-5), put(&b, 16, 4, 2);
	assert_int_equal(decode(&b, &r), DECODED_NOTHING);
	assert_int_equal(defined.device, 1);
	assert_int_equal(defined.stream, 114);
	assert_int_equal(defined.flags, STREAM_NON_BLOCKING);
	assert_int_equal(defined.priority, -5);
	put(&b, 16, 4, 1);
	decode(&b, &r);
	assert_int_equal(defined.flags, 0);
	b = bytes_new(32, 9);
	put(&b, 4, 4, 1), put(&b, 8, 4, 0), put(&b, 14, 2, 7);
	assert_int_equal(decode(&b, &r), DECODED_NOTHING);
	assert_int_equal(defined.stream, 7);
	assert_int_equal(defined.flags, STREAM_DEFAULT);
	/* an unknown context has no device to report */
	ndefined = 0;
	b = bytes_new(24, 37);
	put(&b, 4, 4, 9);
	decode(&b, &r);
	assert_int_equal(ndefined, 0);
}

/* CUPTI writes zeroes, or an end of zero, where it could not measure. */
static void activities_without_times_are_told_apart(void **state)
{
	static const struct {
		uint32_t kind;
		size_t size, start, end;
	} kinds[] = {
		{ 10, 216, 16, 24 },
		{ 3, 216, 16, 24 },
		{ 1, 96, 16, 24 },
		{ 22, 96, 16, 24 },
		{ 2, 88, 16, 24 },
		{ 38, 56, 8, 16 },
		{ 17, 56, 24, 32 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct bytes b = bytes_new(kinds[i].size, kinds[i].kind);
		struct gpu_record r;

		assert_int_equal(decode(&b, &r), DECODED_UNTIMED);
		put(&b, kinds[i].start, 8, 100);
		assert_int_equal(decode(&b, &r), DECODED_UNTIMED);
		put(&b, kinds[i].end, 8, 99);
		assert_int_equal(decode(&b, &r), DECODED_UNTIMED);
		put(&b, kinds[i].end, 8, 101);
		assert_int_equal(decode(&b, &r), DECODED_RECORD);
		put(&b, kinds[i].end, 8, 1u << 30); /* after now */
		assert_int_equal(decode(&b, &r), DECODED_UNTIMED);
		put(&b, kinds[i].start, 8, 4); /* before the attaching */
		put(&b, kinds[i].end, 8, 101);
		assert_int_equal(decode(&b, &r), DECODED_UNTIMED);
	}
}

/* A kernel that runs: found by what every version has of it, and nothing that has ended. */
static void incomplete_records_are_told(void **state)
{
	struct bytes b = kernel_bytes(208), sync = bytes_new(56, 38);

	(void)state;
	assert_false(cuda_is_incomplete(b.at, b.size));
	put(&b, 16, 8, 0), put(&b, 24, 8, 0);
	assert_true(cuda_is_incomplete(b.at, b.size));
	assert_false(cuda_is_incomplete(b.at, 90));
	put(&b, 92, 4, 0); /* nothing launched it */
	assert_false(cuda_is_incomplete(b.at, b.size));
	assert_false(cuda_is_incomplete(sync.at, sync.size));
}

static void cut_records_are_not_read_beyond_their_end(void **state)
{
	static const struct {
		uint32_t kind;
		size_t least, size;
	} kinds[] = {
		{ 10, 144, 216 },
		{ 1, 64, 96 },
		{ 22, 72, 96 },
		{ 2, 64, 88 },
		{ 38, 40, 56 },
		{ 17, 40, 56 },
		{ 37, 24, 24 },
		{ 9, 16, 32 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct bytes b = bytes_new(kinds[i].size, kinds[i].kind);
		struct gpu_record r;

		for (size_t room = 0; room <= kinds[i].size; room++)
			if (room < kinds[i].least)
				assert_int_equal(decode_room(&b, room, &r), DECODED_SHORT);
			else
				assert_int_not_equal(decode_room(&b, room, &r), DECODED_SHORT);
	}
}

static void kinds_that_are_not_known_are_passed_over(void **state)
{
	struct gpu_record r;

	(void)state;
	for (uint32_t kind = 0; kind < 200; kind++) {
		struct bytes b = bytes_new(8, kind);
		bool known = kind == 1 || kind == 2 || kind == 3 || kind == 4 || kind == 5 ||
			kind == 9 || kind == 10 || kind == 17 || kind == 22 || kind == 37 ||
			kind == 38 || kind == 51;

		assert_int_equal(decode(&b, &r), known ? DECODED_SHORT : DECODED_NOTHING);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_of_all_versions_are_read),
		cmocka_unit_test(sizes_beyond_their_room_are_told_as_the_most),
		cmocka_unit_test(copies_tell_kind_memory_and_bytes),
		cmocka_unit_test(copies_between_devices_name_the_other_one),
		cmocka_unit_test(sets_are_read),
		cmocka_unit_test(synchronisations_have_a_device_by_their_context),
		cmocka_unit_test(overhead_is_read),
		cmocka_unit_test(launches_are_read_and_other_calls_are_not),
		cmocka_unit_test(streams_and_contexts_become_definitions),
		cmocka_unit_test(activities_without_times_are_told_apart),
		cmocka_unit_test(incomplete_records_are_told),
		cmocka_unit_test(cut_records_are_not_read_beyond_their_end),
		cmocka_unit_test(kinds_that_are_not_known_are_passed_over),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
