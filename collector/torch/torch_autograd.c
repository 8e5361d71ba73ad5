/*
 * torch_autograd.c - backward passes, and what PyTorch names itself for its profiler: steps of
 * optimizers, and waits for the next batch. They are regions like those that a program marks: calls
 * inside of them are recorded as ever, since a pass may take seconds and wait for many things.
 */
#include "config.h"

#include <string.h>

#include "core/mark.h"
#include "tacho/trace.h"
#include "torch/torch_call.h"

/* Where end() is called of what an object of PythonRecordFunction holds: within so many bytes. */
enum { SCOPE_SIZE = 256 };

/* What PyTorch calls it, up to the name of a class; our name. */
static const struct {
	const char *begins, *name;
} scopes[] = {
	{ "Optimizer.step#", REGION_TORCH_OPTIMIZER },
	{ "enumerate(DataLoader)#", REGION_TORCH_LOADER },
};

/*
 * What is open on this thread. Of passes only the outermost is a region: checkpointing runs others
 * within it. Where a device has a thread of autograd's, that runs them, for whoever called the
 * outermost one.
 */
static __thread struct {
	uintptr_t backward; /* its frame, 0: none */
	const void *scope;  /* the object that stands for it */
	bool is_autograds;
} own __attribute__((tls_model("initial-exec")));

/* Ends a pass that an exception has left: one that lies below on the stack cannot be open. */
static void backward_drop(uintptr_t frame)
{
	if (likely(!own.backward || own.backward > frame))
		return;
	own.backward = 0;
	mark_end(SPOOL_MARK_REGION, 0);
}

/* Whether regions begin here: not inside of a recorded call, which is a whole. */
static bool may_begin(uintptr_t frame)
{
	struct thread *self = thread_self(REGION_NONE);

	if (!self || own.is_autograds)
		return false;
	torch_unwind(frame);
	backward_drop(frame);
	return self->cursor < CURSOR_DEPTH && !own.backward;
}

/*
 * Engine::execute(roots, inputs, keep_graph, create_graph, accumulate_grad, outputs), whose result is
 * a vector: two words more than the six in registers.
 */
#define EXECUTE                                                                                    \
	"_ZN5torch8autograd6Engine7executeERKSt6vectorINS0_4EdgeESaIS3_EERKS2_IN2at6TensorESaIS9_" \
	"EEbbbS7_"

TACHO_EXPORT torch_word torch_execute(torch_word, torch_word, torch_word, torch_word, torch_word,
	torch_word, torch_word, torch_word) __asm__(EXECUTE);

torch_word torch_execute(torch_word place, torch_word self, torch_word roots, torch_word inputs,
	torch_word keep, torch_word create, torch_word accumulate, torch_word outputs)
{
	static void *_Atomic real;
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	bool is_outermost = may_begin(frame);
	torch_word ret;

	if (is_outermost) {
		mark_begin(SPOOL_MARK_REGION, REGION_TORCH_BACKWARD, 0);
		own.backward = frame;
	}
	ret = ((__typeof__(&torch_execute))torch_real(&real, EXECUTE))(place, self, roots, inputs,
		keep, create, accumulate, outputs);
	if (is_outermost) {
		own.backward = 0;
		mark_end(SPOOL_MARK_REGION, 0);
	}
	return ret;
}

/* What threads of autograd's run: a device's, and those for passes that nest too deeply. */
#define THREAD(name, symbol)                                                                       \
	TACHO_EXPORT torch_word name(torch_word self, torch_word device, torch_word queue,         \
		torch_word counts) __asm__(symbol);                                                \
	torch_word name(torch_word self, torch_word device, torch_word queue, torch_word counts)   \
	{                                                                                          \
		static void *_Atomic real;                                                         \
                                                                                                   \
		own.is_autograds = true;                                                           \
		return ((__typeof__(&name))torch_real(&real, symbol))(self, device, queue,         \
			counts);                                                                   \
	}

THREAD(torch_thread, "_ZN5torch8autograd6Engine11thread_initEiRKSt10shared_ptrINS0_10ReadyQueueEEb")
THREAD(torch_reentrant_thread, "_ZN5torch8autograd6Engine21reentrant_thread_initEv")

static const char *scope_find(const char *text)
{
	for (size_t i = 0; text && i < sizeof(scopes) / sizeof(*scopes); i++)
		if (!strncmp(text, scopes[i].begins, strlen(scopes[i].begins)))
			return scopes[i].name;
	return NULL;
}

/*
 * record_function_enter_new(const std::string &name, const optional<std::string> &arguments): its
 * result is a pointer to the object. A std::string begins with a pointer to its text, and ends it
 * with 0. Scopes within others of them are parts of those.
 */
static bool scope_begin(const void *name, uintptr_t frame)
{
	const char *ours = scope_find(*(const char *const *)name);

	if (likely(!ours) || own.scope || !may_begin(frame))
		return false;
	mark_begin(SPOOL_MARK_REGION, ours, 0);
	return true;
}

#define SCOPE(function, symbol)                                                                    \
	TACHO_EXPORT torch_word function(torch_word place, torch_word name,                        \
		torch_word arguments) __asm__(symbol);                                             \
	torch_word function(torch_word place, torch_word name, torch_word arguments)               \
	{                                                                                          \
		static void *_Atomic real;                                                         \
		bool begins = scope_begin(name, (uintptr_t)__builtin_frame_address(0));            \
		torch_word ret = ((__typeof__(&function))torch_real(&real, symbol))(place, name,   \
			arguments);                                                                \
                                                                                                   \
		if (begins)                                                                        \
			own.scope = *(const void *const *)place;                                   \
		return ret;                                                                        \
	}

#define ENTER                                                                                      \
	"_ZN5torch8autograd8profiler25record_function_enter_newERKNSt7__cxx1112basic_stringIcSt11" \
	"char_traitsIcESaIcEEERK"
SCOPE(torch_scope, ENTER "N3c108optionalIS7_EE")
SCOPE(torch_scope_std, ENTER "St8optionalIS7_E")

/* RecordFunction::end(), of any; of one whose time is over already again when it is destroyed. */
#define END "_ZN2at14RecordFunction3endEv"

TACHO_EXPORT torch_word torch_scope_end(torch_word self, torch_word a) __asm__(END);

torch_word torch_scope_end(torch_word self, torch_word a)
{
	static void *_Atomic real;
	torch_word ret = ((__typeof__(&torch_scope_end))torch_real(&real, END))(self, a);

	if (unlikely(own.scope) && (uintptr_t)self - (uintptr_t)own.scope < SCOPE_SIZE) {
		backward_drop((uintptr_t)__builtin_frame_address(0));
		own.scope = NULL;
		mark_end(SPOOL_MARK_REGION, 0);
	}
	return ret;
}
