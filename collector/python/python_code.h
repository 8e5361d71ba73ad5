/*
 * python_code.h - code objects: which function of which file they are, and the line that an
 * instruction belongs to. Read once per object, and known by its address together with what it
 * points to, since addresses are used again.
 */
#ifndef COLLECTOR_PYTHON_CODE_H
#define COLLECTOR_PYTHON_CODE_H

#include "python/python_layout.h"

/* The members by which a code object is known again. */
struct python_print {
	uint64_t type, file, name, lines;
	uint32_t first_line;
};

struct python_code {
	uint64_t at; /* 0: no entry */
	struct python_print print;
	uint32_t id; /* DEF_PYTHON_CODE; 0: there was no room */
	bool hidden; /* the import system's own frames, left out where others are below them, as in tracebacks */
	/*
	 * It is there for as long as its module: what runs once, or was made of a text, may soon have
	 * another one in its place that looks like it.
	 */
	bool is_lasting;
	bool calls_module; /* PyTorch calls modules by it, which are its first local variable */
	bool is_new;	   /* its names were read just now: see code_settle() */
};

/* Bytes from the begin of a code object that have all of the print. */
size_t code_span(const struct python_layout *layout) HIDDEN;
struct python_print code_print(const struct python_layout *layout,
	const unsigned char *bytes) HIDDEN;

/*
 * The code object at `at`, whose print was read. NULL when it is none, or has gone. What is returned
 * holds until the next call.
 */
const struct python_code *code_find(const struct python_runtime *python, uint64_t at,
	const struct python_print *print) HIDDEN;

/*
 * What was read newly is kept if `stood`: whoever ran the code still did so after it was read. Else
 * it may have been another object's by then, and is forgotten.
 */
void code_settle(bool stood) HIDDEN;

/* Whether anything is to be settled. */
bool code_is_new(void) HIDDEN;

/* Line of the instruction `offset` bytes from the first one; 0: it has none. */
uint32_t code_line(const struct python_runtime *python, const struct python_code *code,
	uint32_t offset) HIDDEN;

/* Number of a function that is known by its name and file alone, as native ones are; 0: there is no room. */
uint32_t code_number(const char *function, const char *file) HIDDEN;

/* 0, or -1 without memory; forgets everything, which a forked child has to define anew. */
int code_start(void) HIDDEN;

#endif
