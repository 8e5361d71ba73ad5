/*
 * real.h - the functions behind the wrappers, looked up when first called.
 * In a wrapper: REAL(read)(fd, buf, n).
 */
#ifndef COLLECTOR_REAL_H
#define COLLECTOR_REAL_H

#include "core/entry.h"
#include "core/span.h"

/* Addresses by region; NULL until looked up. */
extern void *tacho_real[REGION_COUNT] HIDDEN;

/*
 * Out of line: finds the region's function. For libc's functions this is libc's; for others the
 * next in the search order (default version), for MPI then in the loaded libmpi, then in every
 * loaded object but this one. NULL when there is none. Keeps errno.
 */
void *real_lookup(unsigned region) HIDDEN;

/* The same for a name that has no region, and is not libc's. */
void *real_symbol(const char *name) HIDDEN;

/*
 * libc's function of this name, or its replacement (a sanitizer's, or from a library that is
 * preloaded as this one), even if another library before libc defines one. NULL when there is none.
 */
void *real_libc(const char *name) HIDDEN;

/*
 * The function that a name of libc's leads to without this library where that is not libc's, but a
 * library's that has one of the same name; else NULL.
 */
void *real_foreign(const char *name) HIDDEN;

/* The symbol in a loaded object or its dependencies, unless it leads back here; else NULL. */
void *real_in_object(const char *object, const char *name) HIDDEN;

/* Name of a region's function. */
const char *region_name(unsigned region) HIDDEN;

static inline void *real_find(unsigned region)
{
	void *found = __atomic_load_n(&tacho_real[region], __ATOMIC_RELAXED);

	return likely(found) ? found : real_lookup(region);
}

/* The function behind a wrapper, with the type of the wrapper of the same name. */
#define REAL(name) ((__typeof__(&name))real_find(REGION_##name))

#endif
