/*
 * unwind.c - ends calls that were left by longjmp, an exception or a cancelled thread, see
 * thread_left() in span.h. Their wrappers never return, so without it all that follows would seem to
 * happen inside of them.
 *
 * Whoever leaves goes by one of three ways: longjmp, which is wrapped here and knows the stack
 * pointer that it goes to; the unwinder of C++ and of libc's cancellation, which asks each frame's
 * personality; others show when the next call comes from a frame above. A handler may have another
 * stack, and coroutines do, where a higher address is no outer frame.
 */
#undef _FORTIFY_SOURCE /* it renames longjmp */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <sys/auxv.h>

#include "core/process.h"
#include "core/real.h"
#include "core/sandbox.h"
#include "core/sys.h"

#define STACK_MOST ((uintptr_t)8 << 20)	 /* of a thread, from its top: the usual limit */
#define STACK_NEAR ((uintptr_t)32 << 10) /* so near are two frames of one stack, wherever it is */

void thread_end_innermost(struct thread *self)
{
	unsigned depth = (unsigned)(self->cursor >> 48);
	struct spool_inside *inside = &self->head->inside[depth - 1];
	struct span span = { .self = self };

	if (depth > SPOOL_MAX_DEPTH || !atomic_load(&inside->region)) {
		cursor_add(&self->cursor, -CURSOR_DEPTH); /* nothing is known of it */
		return;
	}
	span.region = (uint16_t)atomic_load(&inside->region);
	span.start = inside->start;
	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
}

void thread_unwind(struct thread *self)
{
	while (self->cursor >= CURSOR_DEPTH)
		thread_end_innermost(self);
}

static bool is_within(uintptr_t address, uintptr_t low, uintptr_t size)
{
	return address - low < size;
}

/* The thread's stack, roughly: it ends at data that the kernel or libc put at its top. */
static uintptr_t stack_top(void)
{
	return sys_tid() == sys_pid() ? (uintptr_t)getauxval(AT_RANDOM)
				      : (uintptr_t)__builtin_thread_pointer();
}

/* Whether a call is over when the thread is at `now`, from its wrapper's stack pointer `frame`. */
static bool is_left(uintptr_t frame, uintptr_t now)
{
	uintptr_t top = stack_top(), low, size;
	stack_t other = { .ss_flags = SS_DISABLE };

	if (frame == SPAN_NO_FRAME)
		return false;
	syscall(SYS_sigaltstack, NULL, &other);
	low = (uintptr_t)other.ss_sp;
	size = other.ss_flags & SS_DISABLE ? 0 : other.ss_size;
	if (is_within(frame, low, size) != is_within(now, low, size))
		return is_within(frame, low, size); /* the handler has been left */
	if (frame >= now)
		return false;
	return is_within(frame, low, size) || now - frame <= STACK_NEAR ||
		(is_within(frame, top - STACK_MOST, STACK_MOST) &&
			is_within(now, top - STACK_MOST, STACK_MOST));
}

void thread_left(struct thread *self, uintptr_t now)
{
	int saved = errno;

	while (self->cursor >= CURSOR_DEPTH &&
		(self->cursor >> 48 > SPOOL_MAX_DEPTH ||
			is_left(self->frames[(self->cursor >> 48) - 1], now)))
		thread_end_innermost(self);
	errno = saved;
}

/* The calling thread if it is in a recorded call. */
static struct thread *thread_inside(void)
{
	uint32_t gate = atomic_load_explicit(tacho_gate, memory_order_relaxed);
	struct thread *self = tacho_self;

	return self && (gate == GATE_OPEN || gate == GATE_PAUSED) && !sandbox_is_on() &&
			tacho_process.pid == sys_pid() && self->cursor >= CURSOR_DEPTH
		? self
		: NULL;
}

/* What of <unwind.h> a personality needs; the header is a compiler's. */
enum { UNWIND_CLEANUP_PHASE = 2, UNWIND_CONTINUE = 8 };

#define STACK_ARGUMENTS 80 /* bytes below a wrapper's frame, at most */

int tacho_personality(int version, int actions, uint64_t class, void *exception,
	void *context) HIDDEN;

/*
 * The unwinder asks each frame of a wrapper; it passes through all of them. The function for the
 * frame's address is looked up in the library that asks: a program may have several unwinders.
 */
__attribute__((used)) int tacho_personality(int version, int actions, uint64_t class,
	void *exception, void *context)
{
	struct thread *self = thread_inside();
	uintptr_t (*frame_address)(void *) = NULL;
	Dl_info asks, found;

	(void)version, (void)class, (void)exception;
	if (!self || !(actions & UNWIND_CLEANUP_PHASE))
		return UNWIND_CONTINUE;
	if (dladdr(__builtin_return_address(0), &asks))
		frame_address = (uintptr_t(*)(void *))real_in_object(asks.dli_fname,
			"_Unwind_GetCFA");
	if (frame_address && dladdr((void *)(uintptr_t)frame_address, &found) &&
		asks.dli_fbase == found.dli_fbase)
		thread_left(self, frame_address(context) + STACK_ARGUMENTS);
	return UNWIND_CONTINUE;
}

/* Where longjmp goes; 0 when that cannot be known. */
static uintptr_t jump_target(const struct __jmp_buf_tag *to)
{
#if defined(__x86_64__) && defined(__GLIBC__)
	uintptr_t mangled = (uintptr_t)to->__jmpbuf[6], guard;

	__asm__("movq %%fs:0x30, %0" : "=r"(guard));
	return (mangled >> 17 | mangled << 47) ^ guard;
#else
	(void)to;
	return 0;
#endif
}

/* Found as the library starts: handlers jump, and may have interrupted anything. */
#define JUMP(name)                                                                                 \
	_Noreturn void name(jmp_buf to, int value);                                                \
	TACHO_WRAP(name)                                                                           \
	static __typeof__(&name) real_##name;                                                      \
	__attribute__((constructor)) static void find_##name(void)                                 \
	{                                                                                          \
		real_##name = (__typeof__(&name))real_libc(#name);                                 \
	}                                                                                          \
	void name(jmp_buf to, int value)                                                           \
	{                                                                                          \
		struct thread *self = thread_inside();                                             \
		uintptr_t target = jump_target(to);                                                \
                                                                                                   \
		if (!real_##name)                                                                  \
			find_##name();                                                             \
		if (self && target)                                                                \
			thread_left(self, target);                                                 \
		real_##name(to, value);                                                            \
		__builtin_unreachable();                                                           \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
