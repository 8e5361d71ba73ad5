/*
 * nvtx.h - NVTX's interface for tools, in own words: NVTX is a header in the
 * program, which loads the library that NVTX_INJECTION64_PATH names and
 * lets it put its functions into tables (tests/e2e/nvtx_ranges.c compares with
 * the header).
 */
#ifndef COLLECTOR_NVTX_H
#define COLLECTOR_NVTX_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* Before main: lets NVTX find this library, unless another tool is named. `path`: this library. */
void nvtx_announce(const char *path) __attribute__((visibility("hidden")));

enum { NVTX_TABLE_CALLBACKS = 1, NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5 };

enum nvtx_text { NVTX_TEXT_NONE, NVTX_TEXT_ASCII, NVTX_TEXT_WIDE, NVTX_TEXT_REGISTERED };

/* What a range or mark is given; payload and colour are of no interest. */
struct nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t colour_type;
	uint32_t colour;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t text_type; /* enum nvtx_text */
	union {
		const char *ascii;
		const wchar_t *wide;
		const struct nvtx_string *registered;
	} text;
};

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
	size_t size;
	int (*get_table)(int module, nvtx_function ***table, unsigned *size);
};

#endif
