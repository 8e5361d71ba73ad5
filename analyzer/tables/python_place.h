/*
 * python_place.h - what a place in Python's tree of calls is: whose code, and what a training does
 * there, as far as files and functions of known frameworks tell.
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

/* Of the calling context of number `i` in the archive. */
struct python_place python_place(const struct archive *archive, uint32_t i);

/* Number of the context that called it, PYTHON_NONE: it is the outermost. */
uint32_t python_caller(const struct archive *archive, uint32_t i);

/*
 * What a training does at a place: import, or loading, forward, backward, optimizer, communication
 * or checkpoint, by the innermost function that tells; NULL: none does.
 */
const char *python_place_state(const struct archive *archive, uint32_t i);

#endif
