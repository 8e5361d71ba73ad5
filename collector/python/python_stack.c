/*
 * python_stack.c - see python_stack.h.
 *
 * RATIONALE: a thread that runs Python code enters and leaves functions all the time, and goes from
 * instruction to instruction. A chain of frames that stands unchanged in two readings, the second of
 * which is one system call, was there. Of the innermost frame the instruction may differ: it goes on
 * within its function. Where the innermost functions change too fast to be met twice, their callers
 * stood still, and the time is theirs.
 */
#include "config.h"

#include <string.h>

#include "python/python_memory.h"
#include "python/python_stack.h"
#include "python/python_text.h"

#define TRIES	   4
#define FRAME_ROOM 128 /* bytes of a frame and a code object that are looked at */
#define CODE_ROOM  160

/* Low bits of the pointer to the code are marks in some builds. */
#define POINTER_MASK (~(uint64_t)7)

static uint64_t word_at(const unsigned char *bytes, int offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/* Address of the word that leads to the innermost frame; 0: it cannot be read. */
static uint64_t top_place(const struct python_layout *layout, uint64_t thread)
{
	uint64_t place = thread + (uint64_t)layout->thread_frame, cframe;

	if (layout->cframe_frame == LAYOUT_NONE)
		return place;
	if (memory_read(place, &cframe, sizeof(cframe)) < 0 || !cframe)
		return 0;
	return cframe + (uint64_t)layout->cframe_frame;
}

/* To 3.10 the instruction is a number, from 3.11 on an address. */
static uint64_t instruction_of(const struct python_layout *layout, const unsigned char *bytes)
{
	int32_t number;

	if (layout->code_instructions != LAYOUT_NONE)
		return word_at(bytes, layout->frame_instruction);
	memcpy(&number, bytes + layout->frame_instruction, sizeof(number));
	return (uint64_t)(int64_t)number;
}

static void frame_decode(const struct python_layout *layout, const unsigned char *bytes,
	struct python_frame *frame)
{
	frame->previous = word_at(bytes, layout->frame_previous);
	frame->code = word_at(bytes, layout->frame_code) & POINTER_MASK;
	frame->instruction = instruction_of(layout, bytes);
	frame->owner = layout->frame_owner == LAYOUT_NONE ? 0 : bytes[layout->frame_owner];
}

static int frame_read(const struct python_runtime *python, uint64_t at, struct python_frame *frame)
{
	unsigned char bytes[FRAME_ROOM];

	if (at % 8 || memory_read(at, bytes, (size_t)python->layout.frame_size) < 0)
		return -1;
	frame->at = at;
	frame_decode(&python->layout, bytes, frame);
	return 0;
}

/* The first reading, frame by frame. */
static int walk(const struct python_runtime *python, struct python_stack *stack)
{
	stack->n = 0;
	stack->is_cut = false;
	for (uint64_t at = stack->top; at; at = stack->frame[stack->n++].previous) {
		if (stack->n == STACK_MOST) {
			stack->is_cut = true;
			break;
		}
		if (frame_read(python, at, &stack->frame[stack->n]) < 0)
			return -1;
	}
	return 0;
}

/* What the second reading brings: the word that leads to the top, then frames and their codes. */
static struct {
	uint64_t top;
	unsigned char frame[STACK_MOST][FRAME_ROOM], code[STACK_MOST][CODE_ROOM];
	struct iovec to[2 * STACK_MOST + 2], from[2 * STACK_MOST + 2];
} again;

static size_t piece_add(size_t n, uint64_t at, void *to, size_t size)
{
	again.to[n] = (struct iovec){ to, size };
	again.from[n] = (struct iovec){ (void *)(uintptr_t)at, size };
	return size;
}

static const struct stack_beside nothing;

static int read_again(const struct python_layout *layout, const struct python_stack *stack,
	const struct stack_beside *beside)
{
	size_t size = piece_add(0, stack->place, &again.top, sizeof(again.top)), n = 1;

	for (unsigned i = 0; i < stack->n; i++) {
		size += piece_add(n++, stack->frame[i].at, again.frame[i],
			(size_t)layout->frame_size);
		size += piece_add(n++, stack->frame[i].code, again.code[i], code_span(layout));
	}
	if (beside->size)
		size += piece_add(n++, (uintptr_t)beside->at, beside->to, beside->size);
	return memory_read_pieces(again.to, again.from, n, size);
}

/*
 * Frames from the outermost one on that stood still, of which the innermost may have gone on if it
 * is the stack's.
 */
static unsigned frames_same(const struct python_layout *layout, const struct python_stack *stack)
{
	unsigned same = 0;

	for (unsigned i = stack->n; i-- > 0; same++) {
		const struct python_frame *frame = &stack->frame[i];
		struct python_frame now = { .at = frame->at };

		frame_decode(layout, again.frame[i], &now);
		if (now.previous != frame->previous || now.code != frame->code ||
			now.owner != frame->owner)
			return same;
		if (now.instruction != frame->instruction)
			return same + (i == 0 && again.top == stack->top);
	}
	return same;
}

bool stack_stands(const struct python_runtime *python, const struct python_stack *stack)
{
	return read_again(&python->layout, stack, &nothing) == 0 &&
		frames_same(&python->layout, stack) == stack->n;
}

/* Leaves the `n` outermost frames, with the code objects as they were read again. */
static void stack_keep(const struct python_layout *layout, struct python_stack *stack, unsigned n)
{
	unsigned first = stack->n - n;

	for (unsigned i = 0; i < n; i++) {
		stack->frame[i] = stack->frame[first + i];
		stack->frame[i].print = code_print(layout, again.code[first + i]);
	}
	stack->n = n;
}

int stack_read(const struct python_runtime *python, uint64_t thread, struct python_stack *stack,
	const struct stack_beside *beside)
{
	for (int try = 0; try < TRIES; try++) {
		unsigned same;

		stack->place = top_place(&python->layout, thread);
		if (!stack->place || memory_read(stack->place, &stack->top, sizeof(stack->top)) < 0)
			continue;
		if (walk(python, stack) < 0 || read_again(&python->layout, stack, beside) < 0)
			continue;
		same = frames_same(&python->layout, stack);
		/* the last time, callers will do */
		if (same < stack->n && (same == 0 || try < TRIES - 1))
			continue;
		if (stack->n == 0 && again.top != stack->top)
			continue;
		stack_keep(&python->layout, stack, same);
		return 0;
	}
	return -1;
}
