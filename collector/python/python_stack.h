/*
 * python_stack.h - the stack of a thread that runs while it is read. Nothing stops it, so what was
 * read is read again, and only what was the same both times is kept.
 */
#ifndef COLLECTOR_PYTHON_STACK_H
#define COLLECTOR_PYTHON_STACK_H

#include "python/python_code.h"

#define OWNER_C	   3   /* of frames between Python's and C's, from 3.12 on: nobody's code */
#define STACK_MOST 160 /* frames; of deeper stacks the innermost */

struct python_frame {
	uint64_t at, previous, code, instruction;
	struct python_print print; /* of the code; not read of a known one */
	uint64_t local;		   /* the first local variable */
	unsigned owner;
	int page; /* of the reading */
	/* as at the last look, which has found `number`, of tally_stack() */
	bool is_known;
	bool is_lasting; /* `number` holds as long as nothing of this changes; the reader's user sets it */
	uint64_t module;	 /* of PyTorch, which it calls; 0: it calls none */
	uint32_t number, caller; /* of it, and of the frame that called it */
};

struct python_stack {
	uint64_t place, top; /* where the word is that leads to the innermost frame; its value */
	unsigned n;
	bool is_cut;			       /* there are frames below the last one */
	bool is_short;			       /* frames above the first one changed too fast */
	struct python_frame frame[STACK_MOST]; /* innermost first */
};

/* What is read together with the second reading of a stack, so that it is of the same moment. */
struct stack_beside {
	const void *at;
	void *to;
	size_t size; /* 0: nothing */
};

/*
 * Reads the stack of the thread whose state is at `thread`, which was `before` when it was inspected
 * last. 0; -1 when the thread did not keep still
 * for it, or has gone. n is 0 where it runs no Python.
 */
int stack_read(const struct python_runtime *python, uint64_t thread, struct python_stack *stack,
	const struct python_stack *before, const struct stack_beside *beside) HIDDEN;

/* Whether a stack that was read still stands, so that what its code objects lead to was there. */
bool stack_stands(const struct python_runtime *python, const struct python_stack *stack) HIDDEN;

#endif
