/*
 * value.c - see value.h. A value is a definition: it stays when records are given up. A long run gives
 * many, so their distance grows with their number.
 */
#include "config.h"

#include <string.h>

#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/value.h"

#define NAMES_MAX 32
#define NAME_MOST 48 /* bytes of a name that are compared and kept */

/* An entry is claimed by its state, and valid once that is READY; nothing is ever removed. */
enum state { FREE, CLAIMED, READY };

static struct series {
	_Atomic uint32_t state;
	_Atomic uint32_t given;
	char name[NAME_MOST + 1];
} all[NAMES_MAX];

static _Atomic uint64_t present_step = SPOOL_VALUE_NO_STEP;

void value_step(uint64_t number)
{
	atomic_store_explicit(&present_step, number, memory_order_relaxed);
}

void value_forked(void)
{
	sys_zero(all, sizeof(all));
	present_step = SPOOL_VALUE_NO_STEP;
}

static bool series_is(const struct series *series, const char *name)
{
	return !strncmp(series->name, name, NAME_MOST);
}

/* The entry of a name; NULL: there are too many, or another thread is just defining one. */
static struct series *series_find(const char *name)
{
	for (struct series *series = all; series < all + NAMES_MAX; series++) {
		uint32_t state = atomic_load_explicit(&series->state, memory_order_acquire);

		if (state == FREE &&
			atomic_compare_exchange_strong(&series->state, &state, CLAIMED)) {
			process_uses(USED_MARKS);
			memccpy(series->name, name, 0, NAME_MOST);
			atomic_store_explicit(&series->state, READY, memory_order_release);
			return series;
		}
		if (state == READY && series_is(series, name))
			return series;
	}
	return NULL;
}

/* Whether a value is one that is kept: of the first ones all, of twice as many every second… */
static bool is_kept(uint32_t nth)
{
	uint32_t distance = 1;

	for (uint64_t behind = SPOOL_VALUES_WHOLE; nth >= behind && distance < 1u << 20;
		behind += (uint64_t)SPOOL_VALUES_WHOLE * distance)
		distance *= 2;
	return nth % distance == 0;
}

void value_note(const char *name, uint64_t bits)
{
	struct spool_def_value body = { .ticks = clock_ticks(),
		.step = atomic_load_explicit(&present_step, memory_order_relaxed) };
	struct series *series = series_find(name);

	if (!series) {
		process_lose(LOSS_NO_NAME);
		return;
	}
	body.nth = atomic_fetch_add_explicit(&series->given, 1, memory_order_relaxed);
	if (!is_kept(body.nth))
		return;
	memcpy(&body.value, &bits, sizeof(bits));
	process_define(&(struct def){ .type = DEF_VALUE,
		.body = &body,
		.nbody = sizeof(body),
		.text = series->name });
}
