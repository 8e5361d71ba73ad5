/* family.h - groups of processes to read together: relatives, and processes that share a device. */
#ifndef ANALYZER_FAMILY_H
#define ANALYZER_FAMILY_H

#include <stdint.h>

#include "model/model.h"

/*
 * Sets by process another one of its family, which is nearer to the one that represents all;
 * family_find() is that one.
 */
void families_join(const struct model *model, uint32_t *of);
uint32_t family_find(uint32_t *of, uint32_t process);

/*
 * By location: a number that is equal for all locations of relatives and of processes that share a
 * device. To be freed; NULL without memory (not reported).
 */
uint32_t *families_of(const struct model *model);

/* The process at the top: it, or whoever started it, or started that one. */
uint32_t process_ancestor(const struct model *model, uint32_t process);

#endif
