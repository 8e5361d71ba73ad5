/*
 * attach_native.h - where threads of a process without Python wait, by native functions: in the file of
 * Python's samples, and in the same form.
 */
#ifndef COLLECTOR_ATTACH_NATIVE_H
#define COLLECTOR_ATTACH_NATIVE_H

#include <stddef.h>
#include <stdint.h>

#include "core/span.h"
#include "tacho/attach.h"

/* Begins; 0, or -1 when the user does not want samples, or without room for them. */
int native_begin(void) HIDDEN;

/* As of struct source. */
uint64_t native_tick(void) HIDDEN;

/* The frames of a thread that waits, if it still waits there afterwards; how many. */
size_t native_frames(uint32_t tid, struct attach_frame frames[ATTACH_FRAMES]) HIDDEN;

#endif
