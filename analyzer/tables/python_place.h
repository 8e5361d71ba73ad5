/*
 * python_place.h - classifies a place in Python's tree of calls: the owner of its code, and the
 * training's activity there, as far as files and functions of known frameworks show it.
 */
#ifndef ANALYZER_PYTHON_PLACE_H
#define ANALYZER_PYTHON_PLACE_H

#include <stdbool.h>

#include "model/model.h"

#define PYTHON_NONE UINT32_MAX

struct python_place {
	const char *function, *file;
	uint32_t line; /* 0: not known */
};

/* The place of calling context number `i` in the archive. */
struct python_place python_place(const struct archive *archive, uint32_t i);

/* Number of the context that called it, PYTHON_NONE: it is the outermost. */
uint32_t python_caller(const struct archive *archive, uint32_t i);

/*
 * The training's activity at a place, by the innermost known function: import, loading, forward,
 * backward, optimizer, communication or checkpoint; NULL: unknown.
 */
const char *python_place_state(const struct archive *archive, uint32_t i);

#endif
