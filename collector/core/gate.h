/* gate.h - the gate of the process (enum gate), in a page that the kernel wipes in a forked child. */
#ifndef COLLECTOR_GATE_H
#define COLLECTOR_GATE_H

#include "core/span.h"

/* Maps the page with the gate of a joining process. 0, or -1 without memory. */
int gate_page_make(void) HIDDEN;
bool gate_has_page(void) HIDDEN;

/* Sets the gate of a process that has joined; in a forked child that has not, nothing. */
void gate_turn(enum gate gate) HIDDEN;

/* Gives a forked child that followed its parent's gate a separate one. */
void gate_own(enum gate gate) HIDDEN;

/* The process is not recorded from here on. */
void gate_close(void) HIDDEN;

/* The process is not recorded before it calls MPI, CUDA or NCCL. */
void gate_await_mpi(void) HIDDEN;

/* In a forked child, where the kernel cannot wipe the page. */
void gate_wipe(void) HIDDEN;

#endif
