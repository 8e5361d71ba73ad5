/* nsys.h - SQLite exports of Nsight Systems, read as the files of torch.profiler are. */
#ifndef ANALYZER_NSYS_H
#define ANALYZER_NSYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers.h"

struct kineto_rank;

typedef ARRAY_OF(uint64_t) nsys_processes_type;

/* Whether a file of that name is one: it ends in .sqlite. */
bool nsys_is_export(const char *path);

/* One that is not exported: .nsys-rep. */
bool nsys_is_report(const char *path);

/* Appends the processes in the file that are ranks, by their serialised ids. 0, or -1 (reported). */
int nsys_processes(const char *path, nsys_processes_type *processes);

/* Reads the process rank->process of the file; the rank is empty (kineto_rank_init()). 0, or -1 (as kineto_read()). */
int nsys_read(struct kineto_rank *rank);

#endif
