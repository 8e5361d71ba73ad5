/* clock_sort.c - parts in the order of their keys and nodes, digit by digit: they are up to millions. See clock_sort.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "merge/clock/clock_sort.h"

/* Digits are bytes: those of the node, the lowest first, then those of the key, the last first. */
enum { NODE_DIGITS = sizeof(uint32_t), KEY_DIGITS = sizeof(struct sync_event_key) };

int clock_parts_compare(const void *a, const void *b)
{
	const struct clock_part *x = a, *y = b;
	int order = memcmp(&x->key, &y->key, sizeof(x->key));

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static unsigned digit_of(const struct clock_part *part, unsigned digit)
{
	if (digit < NODE_DIGITS)
		return part->node >> 8 * digit & 255;
	return ((const unsigned char *)&part->key)[KEY_DIGITS - 1 - (digit - NODE_DIGITS)];
}

/* From the count of each value to where its first part goes. False: all parts have the same value. */
static bool places_of(uint32_t places[256], uint32_t n)
{
	uint32_t next = 0;

	for (unsigned value = 0; value < 256; value++) {
		uint32_t count = places[value];

		if (count == n)
			return false;
		places[value] = next;
		next += count;
	}
	return true;
}

void clock_parts_sort(struct clock_part *parts, uint32_t n)
{
	uint32_t places[NODE_DIGITS + KEY_DIGITS][256] = { 0 };
	struct clock_part *from = parts, *room = malloc(n * sizeof(*room)), *to = room;

	if (!room) {
		qsort(parts, n, sizeof(*parts), clock_parts_compare);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		for (unsigned digit = 0; digit < NODE_DIGITS + KEY_DIGITS; digit++)
			places[digit][digit_of(&parts[i], digit)]++;
	for (unsigned digit = 0; digit < NODE_DIGITS + KEY_DIGITS; digit++) {
		struct clock_part *sorted = to;

		if (!places_of(places[digit], n))
			continue;
		for (uint32_t i = 0; i < n; i++)
			to[places[digit][digit_of(&from[i], digit)]++] = from[i];
		to = from;
		from = sorted;
	}
	if (from != parts)
		memcpy(parts, from, n * sizeof(*parts));
	free(room);
}
