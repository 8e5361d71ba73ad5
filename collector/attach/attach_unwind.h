/*
 * attach_unwind.h - stacks of native functions in another process, by the tables that compilers leave for
 * exceptions (.eh_frame). Only of threads that wait in a system call: of these /proc has the stack pointer and
 * the instruction.
 */
#ifndef COLLECTOR_ATTACH_UNWIND_H
#define COLLECTOR_ATTACH_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "core/span.h"
#include "tacho/attach.h"

/*
 * Unwinds a thread from its stack pointer and instruction. Returns the number of frames; stops
 * where the tables end.
 */
size_t unwind(uint64_t sp, uint64_t pc, struct attach_frame frames[ATTACH_FRAMES]) HIDDEN;

#endif
