/*
 * idmap.c - a map from identities to numbers (table.h) keeps its values, whether identities are
 * dense, as definitions are, far apart, come and go, or all of that one after the other.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/containers.h"

enum { KEYS = 1 << 19, FAR = 1 << 21, STEP = 1009 };

/* What the map should hold, by key; 0: nothing. */
static uint32_t *wanted;
static struct idmap map;
static int failures;

static void set(uint64_t key, uint32_t value)
{
	if (idmap_set(&map, key, value) < 0)
		exit(1);
	wanted[key] = value == IDMAP_NONE ? 0 : value;
}

static void result(const char *name, bool ok)
{
	static int n;

	printf("%sok %d - %s\n", ok ? "" : "not ", ++n, name);
	failures += !ok;
}

static void compare(const char *name)
{
	bool ok = true;

	for (uint64_t key = 0; key < FAR; key++)
		ok &= idmap_find(&map, key) == (wanted[key] ? wanted[key] : IDMAP_NONE);
	result(name, ok);
}

static void begin(void)
{
	idmap_free(&map);
	for (size_t i = 0; i < FAR; i++)
		wanted[i] = 0;
}

int main(void)
{
	wanted = calloc(FAR, sizeof(*wanted));
	if (!wanted)
		return 1;
	for (uint32_t i = 0; i < KEYS; i++)
		set(i, i + 1);
	compare("dense identities are found");
	result("dense identities take an array and nothing else", !map.nslots);
	for (uint32_t i = 0; i < KEYS; i += 3)
		set(i, IDMAP_NONE);
	compare("those that were taken out are not");

	begin();
	for (uint32_t i = STEP; i < FAR; i += STEP)
		set(i, i);
	compare("identities far apart are found");
	result("identities far apart take no array of their own size", map.nlow <= 1 << 16);
	for (uint32_t i = 0; i < KEYS / 4 * 3; i++) /* an array for them would reach further */
		set(i, i + 7);
	compare("dense ones that follow are found next to them");

	begin();
	for (uint32_t i = 0; i < FAR; i++) {
		set(i, i + 1);
		if (i >= 100)
			set(i - 100, IDMAP_NONE);
	}
	compare("of identities that come and go those that stay are found");
	result("identities that come and go take no room for all", map.nlow <= 1 << 16);
	printf("1..8\n");
	idmap_free(&map);
	free(wanted);
	return failures > 0;
}
