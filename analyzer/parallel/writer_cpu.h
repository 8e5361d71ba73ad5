/*
 * writer_cpu.h - on which core the writer works while others read. Where each core has a reader, rows
 * cost one of them its time, and in the end all wait for that one. So they cost him who is ahead,
 * who would have to wait anyway; the kernel wakes the writer where it was before.
 */
#ifndef ANALYZER_WRITER_CPU_H
#define ANALYZER_WRITER_CPU_H

#include <sched.h>

struct link;

struct core {
	cpu_set_t allowed; /* before; none: not known */
	int at;		   /* where it was moved to; -1: it was not */
};

void writer_cpu_begin(struct core *core);

/* Moves to who is ahead, when workers here are more than cores. What fails changes nothing. */
void writer_cpu_choose(struct core *core, const struct link *link);

/* The reading is over: back to where it was allowed to be. */
void writer_cpu_end(const struct core *core);

#endif
