/* mark.h - markers, for the rest of the library. */
#ifndef COLLECTOR_MARK_H
#define COLLECTOR_MARK_H

#include "core/source.h"

/* Whether the program marks steps by tacho.h: then what NVTX calls a step is none. */
extern _Atomic bool tacho_mark_has_steps HIDDEN;

/* Whether NVTX ranges are steps: then DDP's backward passes are none. */
extern _Atomic bool tacho_mark_has_named HIDDEN;

/* The phase that the process is in, as a DEF_NAME; 0: none. */
extern _Atomic uint32_t tacho_mark_phase HIDDEN;

/* How often a step or phase has begun or ended. */
extern _Atomic uint32_t tacho_mark_changes HIDDEN;

/* The markers of tacho.h, for ranges that come another way. Keep errno. */
void mark_begin(int kind, const char *name, uint64_t value) HIDDEN;
void mark_end(int kind, uint64_t value) HIDDEN;

/* A forked child forgets the names, since their definitions are in the parent's file. */
extern const struct source tacho_mark_source HIDDEN;

#endif
