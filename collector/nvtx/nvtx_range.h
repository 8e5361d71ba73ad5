/*
 * nvtx_range.h - what NVTX's ranges and marks become, for nvtx.c: user regions, or steps. A name is
 * a buffer of the caller's that may be changed. All keep errno.
 */
#ifndef COLLECTOR_NVTX_RANGE_H
#define COLLECTOR_NVTX_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "core/span.h"

/* NULL is NVTX's default domain. */
struct nvtx_domain {
	bool is_ignored;
};

/* A range of the calling thread; as NVTX defines it, the depth in its domain before and after. */
int range_push(const struct nvtx_domain *domain, char *name) HIDDEN;
int range_pop(const struct nvtx_domain *domain) HIDDEN;

/* A range by number, which any thread may end. */
uint64_t range_start(const struct nvtx_domain *domain, char *name) HIDDEN;
void range_end(uint64_t id) HIDDEN;

/* A moment: a region without length. */
void range_mark(const struct nvtx_domain *domain, char *name) HIDDEN;

/* UTF-8 of as much as fits. */
void name_narrow(char *out, size_t size, const wchar_t *wide) HIDDEN;

/* Removes the constant part of a name. */
void name_shorten(char *name) HIDDEN;

/* Reads by which name the user wants steps to be known; before any other range. */
void name_setup(void) HIDDEN;

/*
 * Whether the user, or else a framework, calls a step so, with its *number: the one that a framework
 * gives, else counted.
 */
bool name_is_step(const char *name, uint64_t *number) HIDDEN;

#endif
