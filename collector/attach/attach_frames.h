/* attach_frames.h - the rule by which a function's caller is found, from .eh_frame of one file. */
#ifndef COLLECTOR_ATTACH_FRAMES_H
#define COLLECTOR_ATTACH_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

/* The tables of a file: its bytes, where they want to be, and the index of .eh_frame. */
struct frame_tables {
	const unsigned char *at;
	size_t size;
	uint64_t index;	    /* address in the file's own terms; 0: it has none */
	uint64_t code;	    /* .eh_frame is in the segment that begins here … */
	uint64_t code_file; /* … at this place of the file … */
	uint64_t code_size;
};

/* x86-64's numbers of registers. */
enum { FRAME_RBP = 6, FRAME_RSP = 7, FRAME_RETURN = 16 };

/*
 * The caller's stack pointer is register + offset; its rbp is saved at `rbp_at` from there, if at
 * all.
 */
struct frame_rule {
	unsigned cfa_register;
	int64_t cfa_offset;
	bool has_rbp, is_outermost;
	int64_t rbp_at;
};

/* The rule at an address in the file's own terms. False: there is none that is understood. */
bool frame_rule_find(const struct frame_tables *tables, uint64_t pc,
	struct frame_rule *rule) HIDDEN;

#endif
