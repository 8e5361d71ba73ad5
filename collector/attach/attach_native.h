/*
 * attach_native.h - where threads of a process without Python wait, by native functions: in the file of
 * Python's samples, and in the same form.
 */
#ifndef COLLECTOR_ATTACH_NATIVE_H
#define COLLECTOR_ATTACH_NATIVE_H

#include "core/span.h"

/* Begins; 0, or -1 when the user does not want samples, or without room for them. */
int native_begin(void) HIDDEN;

/* As of struct source. */
uint64_t native_tick(void) HIDDEN;

#endif
