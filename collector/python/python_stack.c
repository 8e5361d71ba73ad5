/*
 * python_stack.c - see python_stack.h.
 *
 * RATIONALE: a thread that runs Python code enters and leaves functions all the time, and goes from
 * instruction to instruction. A chain of frames that stands unchanged in two readings, the second of
 * which is one system call, was there. Of the innermost frame the instruction may differ: it continues
 * within its function. Where the innermost functions change too fast to be met twice, their callers
 * stood still, and the time is theirs.
 *
 * A system call costs more than the page that it brings, and from 3.11 on the frames of a thread lie
 * together; so whole pages are read. Frames that are as they were at the last look are known.
 */
#include "config.h"

#include <string.h>

#include "core/memory.h"
#include "python/python_stack.h"
#include "python/python_text.h"

#define TRIES	   4
#define FRAME_ROOM 384 /* bytes of a frame and a code object that are inspected */
#define CODE_ROOM  160
#define PAGE	   4096
#define PAGES	   48

/* Low bits of the pointer to the code are marks in some builds. */
#define POINTER_MASK (~(uint64_t)7)

/* What is read: the first time page by page as the walk continues, then all of it by one system call. */
enum reading { FIRST, AGAIN };

static struct {
	unsigned npages;
	uint64_t at[PAGES];
	unsigned char page[2][PAGES][PAGE];
	/* frames that are in no page of these */
	unsigned char frame[2][STACK_MOST][FRAME_ROOM];
	unsigned char code[STACK_MOST][CODE_ROOM];
	uint64_t top;
	struct iovec to[PAGES + 2 * STACK_MOST + 2], from[PAGES + 2 * STACK_MOST + 2];
} image;

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
	frame->local = layout->frame_local + 8 > layout->frame_size
		? 0
		: word_at(bytes, layout->frame_local) & POINTER_MASK;
}

/* Number of the page that has all of the frame, read if need be; -1: there is none. */
static int page_find(uint64_t at, size_t size)
{
	uint64_t begin = at & ~(uint64_t)(PAGE - 1);

	if (at + size > begin + PAGE)
		return -1;
	for (unsigned i = 0; i < image.npages; i++)
		if (image.at[i] == begin)
			return (int)i;
	if (image.npages == PAGES || memory_read(begin, image.page[FIRST][image.npages], PAGE) < 0)
		return -1;
	image.at[image.npages] = begin;
	return (int)image.npages++;
}

static unsigned char *frame_bytes(const struct python_frame *frame, unsigned i, enum reading which)
{
	return frame->page < 0 ? image.frame[which][i]
			       : image.page[which][frame->page] + (frame->at & (PAGE - 1));
}

static int frame_read(const struct python_layout *layout, uint64_t at, struct python_frame *frame,
	unsigned i)
{
	size_t size = (size_t)layout->frame_size;

	if (at % 8)
		return -1;
	frame->at = at;
	frame->page = page_find(at, size);
	if (frame->page < 0 && memory_read(at, image.frame[FIRST][i], size) < 0)
		return -1;
	frame_decode(layout, frame_bytes(frame, i, FIRST), frame);
	return 0;
}

/* The first reading. */
static int walk(const struct python_layout *layout, struct python_stack *stack)
{
	image.npages = 0;
	stack->n = 0;
	stack->is_cut = false;
	for (uint64_t at = stack->top; at; at = stack->frame[stack->n++].previous) {
		if (stack->n == STACK_MOST) {
			stack->is_cut = true;
			break;
		}
		if (frame_read(layout, at, &stack->frame[stack->n], stack->n) < 0)
			return -1;
	}
	return 0;
}

/* Frames that are as at the last look, counted from the outermost one, have its results. */
static void recognise(struct python_stack *stack, const struct python_stack *before)
{
	bool aligned = stack->is_cut == before->is_cut;

	for (unsigned i = stack->n, k = before->n; i-- > 0;) {
		struct python_frame *frame = &stack->frame[i];
		const struct python_frame *old = aligned && k > 0 ? &before->frame[--k] : NULL;

		frame->is_known = old && old->is_lasting && old->at == frame->at &&
			old->previous == frame->previous && old->code == frame->code &&
			old->instruction == frame->instruction && old->owner == frame->owner &&
			(!old->module || old->local == frame->local);
		frame->module = frame->is_known ? old->module : 0;
		frame->is_lasting = frame->is_known;
		frame->number = old ? old->number : 0;
		frame->caller = old ? old->caller : 0;
	}
}

static size_t piece_add(size_t n, uint64_t at, void *to, size_t size)
{
	image.to[n] = (struct iovec){ to, size };
	image.from[n] = (struct iovec){ (void *)(uintptr_t)at, size };
	return size;
}

static int read_again(const struct python_layout *layout, const struct python_stack *stack,
	const struct stack_beside *beside)
{
	size_t size = piece_add(0, stack->place, &image.top, sizeof(image.top)), n = 1;

	for (unsigned i = 0; i < image.npages; i++)
		size += piece_add(n++, image.at[i], image.page[AGAIN][i], PAGE);
	for (unsigned i = 0; i < stack->n; i++) {
		const struct python_frame *frame = &stack->frame[i];

		if (frame->page < 0)
			size += piece_add(n++, frame->at, image.frame[AGAIN][i],
				(size_t)layout->frame_size);
		if (!frame->is_known)
			size += piece_add(n++, frame->code, image.code[i], code_span(layout));
	}
	if (beside->size)
		size += piece_add(n++, (uintptr_t)beside->at, beside->to, beside->size);
	return memory_read_pieces(image.to, image.from, n, size);
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

		frame_decode(layout, frame_bytes(frame, i, AGAIN), &now);
		if (now.previous != frame->previous || now.code != frame->code ||
			now.owner != frame->owner || (i > 0 && now.local != frame->local))
			return same;
		if (now.instruction != frame->instruction)
			return same + (i == 0 && image.top == stack->top);
	}
	return same;
}

bool stack_stands(const struct python_runtime *python, const struct python_stack *stack)
{
	uint64_t top;

	/* frame by frame: those that were left out are in the image no more */
	if (memory_read(stack->place, &top, sizeof(top)) < 0)
		return false;
	for (unsigned i = 0; i < stack->n; i++) {
		const struct python_frame *frame = &stack->frame[i];
		unsigned char bytes[FRAME_ROOM];
		struct python_frame now;

		if (memory_read(frame->at, bytes, (size_t)python->layout.frame_size) < 0)
			return false;
		frame_decode(&python->layout, bytes, &now);
		if (now.previous != frame->previous || now.code != frame->code ||
			(i > 0 &&
				(now.instruction != frame->instruction ||
					now.local != frame->local)))
			return false;
	}
	return stack->n == 0 || stack->is_short || top == stack->top;
}

/* Leaves the `n` outermost frames, with the code objects as they were read. */
static void stack_keep(const struct python_layout *layout, struct python_stack *stack, unsigned n)
{
	unsigned first = stack->n - n;

	for (unsigned i = 0; i < n; i++) {
		stack->frame[i] = stack->frame[first + i];
		if (!stack->frame[i].is_known)
			stack->frame[i].print = code_print(layout, image.code[first + i]);
	}
	stack->is_short = first > 0;
	stack->n = n;
}

int stack_read(const struct python_runtime *python, uint64_t thread, struct python_stack *stack,
	const struct python_stack *before, const struct stack_beside *beside)
{
	const struct python_layout *layout = &python->layout;

	for (int try = 0; try < TRIES; try++) {
		unsigned same;

		stack->place = top_place(layout, thread);
		if (!stack->place || memory_read(stack->place, &stack->top, sizeof(stack->top)) < 0)
			continue;
		if (walk(layout, stack) < 0)
			continue;
		recognise(stack, before);
		if (read_again(layout, stack, beside) < 0)
			continue;
		same = frames_same(layout, stack);
		/* the last time, callers will do */
		if (same < stack->n && (same == 0 || try < TRIES - 1))
			continue;
		if (stack->n == 0 && image.top != stack->top)
			continue;
		stack_keep(layout, stack, same);
		return 0;
	}
	return -1;
}
