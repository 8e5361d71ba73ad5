/*
 * nvtx_name.c - names of NVTX ranges: what of them is one and the same each time, and which of them
 * frameworks give their steps.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/sys.h"
#include "nvtx/nvtx_range.h"
#include "tacho/nvtx_names.h"

#define NAMES_MAX 1024 /* different names; further ones are reported without their numbers */

void name_narrow(char *out, size_t size, const wchar_t *wide)
{
	size_t n = 0;

	for (; *wide && n + 5 < size; wide++) {
		uint32_t c = (uint32_t)*wide;

		if (c < 0x80) {
			out[n++] = (char)c;
		} else if (c < 0x800) {
			out[n++] = (char)(0xc0 | c >> 6);
			out[n++] = (char)(0x80 | (c & 0x3f));
		} else {
			if (c >= 0x10000)
				out[n++] = (char)(0xf0 | (c >> 18 & 7));
			if (c >= 0x10000)
				out[n++] = (char)(0x80 | (c >> 12 & 0x3f));
			else
				out[n++] = (char)(0xe0 | (c >> 12 & 0xf));
			out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
			out[n++] = (char)(0x80 | (c & 0x3f));
		}
	}
	out[n] = '\0';
}

/* Whether the name is one of the first NAMES_MAX. */
static bool name_is_known(const char *name)
{
	static _Atomic uint64_t seen[NAMES_MAX * 4];
	static _Atomic unsigned nseen;
	uint64_t hash = 0xcbf29ce484222325u, none;

	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	hash |= 1;
	for (uint64_t i = hash >> 20;; i++) {
		_Atomic uint64_t *slot = &seen[i % (NAMES_MAX * 4)];

		none = atomic_load_explicit(slot, memory_order_relaxed);
		if (none == hash)
			return true;
		if (none)
			continue;
		if (atomic_load_explicit(&nseen, memory_order_relaxed) >= NAMES_MAX)
			return false;
		if (atomic_compare_exchange_strong(slot, &none, hash)) {
			atomic_fetch_add(&nseen, 1);
			return true;
		}
		if (none == hash)
			return true;
	}
}

/*
 * A program that counts in its names would make a definition each time: after many, numbers become
 * '#'.
 */
static void name_limit(char *name)
{
	char *out = name;

	if (name_is_known(name))
		return;
	for (const char *c = name; *c; c++) {
		bool is_digit = *c >= '0' && *c <= '9';

		if (!is_digit)
			*out++ = *c;
		else if (out == name || out[-1] != '#')
			*out++ = '#';
	}
	*out = '\0';
}

void name_shorten(char *name)
{
	nvtx_name_cut(name);
	name_limit(name);
}

/*
 * Which of them this program uses: the first that it came with. An optimizer's "step" inside of an
 * "iteration" is none.
 */
static _Atomic unsigned step_name; /* 1 + number in the list; 0: none yet */
static _Atomic uint64_t next_step; /* for names without a number */

/* The user's own name of steps, TACHO_STEP_RANGE; NULL: as frameworks call them. */
static const char *own_name;

void name_setup(void)
{
	own_name = getenv("TACHO_STEP_RANGE");
	if (own_name && !*own_name)
		own_name = NULL;
}

/*
 * Such steps are counted whatever number their names have, as each client of a server may count its
 * requests from 0. Only main threads have steps: elsewhere such a range is a region.
 */
static bool name_is_own(const char *name, uint64_t *number)
{
	size_t n = strlen(own_name);

	if (strncmp(name, own_name, n) || !step_name_number(name + n, number) ||
		sys_tid() != sys_pid())
		return false;
	*number = atomic_fetch_add(&next_step, 1);
	return true;
}

bool name_is_step(const char *name, uint64_t *number)
{
	unsigned used = atomic_load_explicit(&step_name, memory_order_relaxed), none = 0, found;

	if (own_name)
		return name_is_own(name, number);
	found = step_name_find(name, used, number);
	if (!found)
		return false;
	atomic_compare_exchange_strong(&step_name, &none, found);
	if (none && none != found)
		return false;
	if (*number == UINT64_MAX)
		*number = atomic_fetch_add(&next_step, 1);
	return true;
}
