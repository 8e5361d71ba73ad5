/*
 * source.h - the functions by which core/ reaches the folders that record something. Each folder that
 * needs one defines a struct source; collector/sources.c lists them, and core/ names none of them.
 */
#ifndef COLLECTOR_SOURCE_H
#define COLLECTOR_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* The answer to dlsym() in two registers, as its assembly reads it. */
struct dlsym_answer {
	void *symbol;
	uint64_t is_final; /* 0: the loader answers */
};

/* A member that is NULL is not called. */
struct source {
	/* In a forked child of a process that has used one of `used` (enum used); 0: of any. */
	unsigned used;
	void (*forked)(void);

	/* In a thread of the program, before the helper starts. */
	void (*prepare)(void);

	/* In a thread of the program that begins with CUDA. */
	void (*gpu_begins)(void);

	/*
	 * In the helper, when it starts and whenever it wakes. Returns when it is to be called again
	 * (CLOCK_MONOTONIC, ns); UINT64_MAX: not.
	 */
	uint64_t (*tick)(void);

	/* In the thread that marks it: a step begins. */
	void (*step)(uint64_t number);

	/* In the helper, as it wakes from a rest that was to last until then at most. */
	void (*woke)(uint64_t until_ns);

	/* In the helper: the program, which ran at `since_ns`, is stopped; it runs again. */
	void (*stopped)(uint64_t since_ns);
	void (*runs)(void);

	/* Before an exec, which may fail. Not in a child that vfork made. */
	void (*exec)(void);

	/* The process ends: in the thread that ends it, before the helper has ended. */
	void (*end_first)(void);

	/* The process ends: in a task, before DEF_END is written. */
	void (*end)(void);

	/*
	 * A name that begins with nccl, cupt or PyI is looked up in `handle`. An answer that is not final
	 * leaves the name to the other sources.
	 */
	struct dlsym_answer (*lookup)(void *handle, const char *name);
};

/* In collector/sources.c; the last one is NULL. */
extern const struct source *const tacho_sources[] HIDDEN;

#define FOR_SOURCES(one)                                                                           \
	for (const struct source *const *at_ = tacho_sources, *one; (one = *at_); at_++)

/* Calls a function of each source that has it. */
#define SOURCES_CALL(function, ...)                                                                \
	do {                                                                                       \
		FOR_SOURCES (source_)                                                              \
			if (source_->function)                                                     \
				source_->function(__VA_ARGS__);                                    \
	} while (0)

#endif
