/* python_from.c - see python_from.h. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/python_file.h"
#include "tables/python_from.h"
#include "tables/python_place.h"

#define LEAST_SHARE 0.2 /* of a line's time: callers with less are not distinguished */

/* A place with local time, and its caller so far. */
struct spot {
	uint32_t at, caller;
	struct python_place place, by; /* of `at`, of the caller */
	uint64_t ns;
};

static int compare_places(const struct python_place *a, const struct python_place *b)
{
	int by = strcmp(a->file, b->file);

	by = by ? by : strcmp(a->function, b->function);
	return by ? by : (a->line > b->line) - (a->line < b->line);
}

static int compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int by = compare_places(&x->place, &y->place);

	return by ? by : (x->at > y->at) - (x->at < y->at);
}

/* All places with time; those on the same line are adjacent. */
static struct spot *spots_make(const struct archive *archive, const uint64_t *ns, size_t *n)
{
	struct spot *spots = malloc((archive->contexts.n + 1) * sizeof(*spots));

	*n = 0;
	for (uint32_t i = 0; spots && i < archive->contexts.n; i++)
		if (ns[i])
			spots[(*n)++] = (struct spot){ .at = i,
				.caller = i,
				.place = python_place(archive, i),
				.by = { "", "", 0 },
				.ns = ns[i] };
	if (spots && *n)
		qsort(spots, *n, sizeof(*spots), compare_spots);
	return spots;
}

/* True if a caller adds information: code of the program, or of another file; no recursion. */
static bool caller_tells(const struct spot *spot)
{
	if (python_file_is_library(spot->place.file))
		return strcmp(spot->by.file, spot->place.file) != 0 &&
			!python_file_names_module(spot->by.file);
	return !python_file_is_library(spot->by.file) &&
		(strcmp(spot->by.file, spot->place.file) != 0 ||
			strcmp(spot->by.function, spot->place.function) != 0);
}

static void caller_next(const struct archive *archive, struct spot *spot)
{
	do {
		if (spot->caller != PYTHON_NONE)
			spot->caller = python_caller(archive, spot->caller);
		spot->by = spot->caller == PYTHON_NONE ? (struct python_place){ "", "", 0 }
						       : python_place(archive, spot->caller);
	} while (spot->caller != PYTHON_NONE && !caller_tells(spot));
}

static bool same_caller(const struct spot *a, const struct spot *b)
{
	return compare_places(&a->by, &b->by) == 0;
}

/* Goes up from all spots of a line until their callers differ. False: they do not. */
static bool callers_part(const struct archive *archive, struct spot *spots, size_t n)
{
	bool is_top = n < 2;

	while (!is_top) {
		is_top = true;
		for (size_t i = 0; i < n; i++) {
			caller_next(archive, &spots[i]);
			is_top &= spots[i].caller == PYTHON_NONE;
		}
		for (size_t i = 1; i < n; i++)
			if (!same_caller(&spots[0], &spots[i]))
				return true;
	}
	return false;
}

static int compare_callers(const void *a, const void *b)
{
	return compare_places(&((const struct spot *)a)->by, &((const struct spot *)b)->by);
}

/* Callers with enough of the line's time. */
static void callers_take(struct spot *spots, size_t n, uint32_t *from)
{
	double all = 0, of_caller = 0;
	size_t begin = 0;

	qsort(spots, n, sizeof(*spots), compare_callers);
	for (size_t i = 0; i < n; i++)
		all += (double)spots[i].ns;
	for (size_t i = 0; i < n; i++) {
		of_caller += (double)spots[i].ns;
		if (i + 1 < n && same_caller(&spots[i], &spots[i + 1]))
			continue;
		for (; begin <= i; begin++)
			if (of_caller >= LEAST_SHARE * all)
				from[spots[begin].at] = spots[begin].caller;
		of_caller = 0;
	}
}

static void line_find(const struct archive *archive, struct spot *spots, size_t n, uint32_t *from)
{
	if (callers_part(archive, spots, n)) {
		callers_take(spots, n, from);
		return;
	}
	if (!python_file_is_library(spots[0].place.file))
		return;
	for (size_t i = 0; i < n; i++) {
		spots[i].caller = spots[i].at;
		caller_next(archive, &spots[i]);
		from[spots[i].at] = spots[i].caller;
	}
}

uint32_t *python_from_find(const struct archive *archive, const uint64_t *ns)
{
	uint32_t *from = malloc((archive->contexts.n + 1) * sizeof(*from));
	size_t n, begin = 0;
	struct spot *spots = spots_make(archive, ns, &n);

	if (!from || !spots) {
		free(from);
		free(spots);
		return NULL;
	}
	for (size_t i = 0; i < archive->contexts.n; i++)
		from[i] = PYTHON_NONE;
	for (size_t i = 1; i <= n; i++) {
		if (i < n && compare_places(&spots[i].place, &spots[begin].place) == 0)
			continue;
		line_find(archive, &spots[begin], i - begin, from);
		begin = i;
	}
	free(spots);
	return from;
}
