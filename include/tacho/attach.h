/*
 * attach.h - between `tacho record --pid` and libtacho: how a process that runs already is recorded. tacho
 * forks an agent for each, which loads libtacho.so and calls `tacho_attach` there; the library then works
 * for that process as it does for its own, but reads memory and /proc only.
 */
#ifndef TACHO_ATTACH_H
#define TACHO_ATTACH_H

#include <stdint.h>

struct attach {
	uint32_t pid;
	uint32_t is_child;	      /* child of the rank with folder `parent` */
	const char *parent;	      /* name of a folder of spools, or "" */
	const char *spools;	      /* the directory of all spools; absolute */
	const volatile int *is_asked; /* becomes 1: to end */
};

/* How it ended. */
enum attach_end { ATTACH_FAILED, ATTACH_ASKED, ATTACH_OVER };

/*
 * The environment of the caller is the other process's, with the TACHO_ variables of the run. Returns
 * enum attach_end when that process is over, or tacho asks.
 */
typedef int attach_function(const struct attach *attach);
#define ATTACH_FUNCTION "tacho_attach"

/*
 * Of a thread that waits in the kernel: the functions on its stack, innermost first. Stops nothing, writes
 * nothing. tacho calls it in a child process too, once for each.
 */
#define ATTACH_FRAMES 64

struct attach_frame {
	const char *file;     /* program or library */
	const char *function; /* "": the file has no symbol there */
};

struct attach_stack {
	uint32_t pid, tid;
	struct attach_frame frames[ATTACH_FRAMES];
};

/* How many frames; 0: the thread runs, or has ended, -1: the kernel does not let the caller look. */
typedef int attach_stack_function(struct attach_stack *stack);
#define ATTACH_STACK_FUNCTION "tacho_attach_stack"

/* What a process's property "process.attached" has, in this order, as far as it was recorded. */
#define ATTACH_PROPERTY "process.attached"

#endif
