/*
 * torch_autograd.c - backward passes, torch.save, and what PyTorch names itself for its profiler:
 * forward passes of wrapped models, steps of optimizers, and waits for the next batch. They are
 * regions like those that a program marks: calls inside of them are recorded as ever, since a pass
 * may take seconds and wait for many things.
 */
#include "config.h"

#include <string.h>

#include "core/mark.h"
#include "tacho/trace.h"
#include "torch/torch_call.h"

/* Where end() is called of what an object of PythonRecordFunction holds: within so many bytes. */
enum { SCOPE_SIZE = 256 };

/* The scope in which its Reducer may begin a step: the scope's region begins after that. */
#define DDP	  "Distributed"
#define OPTIMIZER "Optimizer.step#"

/* What PyTorch calls it, up to the name of a class; our name. */
static const struct {
	const char *begins, *name;
} scopes[] = {
	{ OPTIMIZER, REGION_TORCH_OPTIMIZER },
	{ "enumerate(DataLoader)#", REGION_TORCH_LOADER },
	{ DDP "DataParallel.forward", REGION_TORCH_FORWARD },
	{ "FullyShardedDataParallel.forward", REGION_TORCH_FORWARD },
	{ "DataParallel.forward", REGION_TORCH_FORWARD },
};

/* The outermost pass is over. */
static void backward_end(void)
{
	tacho_torch_open.backward = 0;
	tacho_torch_open.passed = true;
	if (!tacho_torch_open.is_ended)
		mark_end(SPOOL_MARK_REGION, 0);
	tacho_torch_open.is_ended = false;
	torch_backward_passed();
}

/* Ends a pass that an exception has left: one that is below on the stack cannot be open. */
static void backward_drop(uintptr_t frame)
{
	if (likely(!tacho_torch_open.backward || tacho_torch_open.backward > frame))
		return;
	backward_end();
}

/* Ends the region of an archive, of which the end was not seen, or is not there yet. */
static void save_drop(void)
{
	if (likely(!tacho_torch_open.writer))
		return;
	tacho_torch_open.writer = NULL;
	mark_end(SPOOL_MARK_REGION, 0);
}

/* Whether regions begin here: not inside of a recorded call, which is a whole. */
static bool may_begin(uintptr_t frame)
{
	struct thread *self = thread_self(REGION_NONE);

	if (!self || tacho_torch_open.is_autograds)
		return false;
	span_is_inside(self, frame);
	backward_drop(frame);
	save_drop();
	return self->cursor < CURSOR_DEPTH && !tacho_torch_open.backward;
}

/*
 * Engine::execute(roots, inputs, keep_graph, create_graph, accumulate_grad, outputs), whose
 * result is a vector: two words more than the six in registers.
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
		tacho_torch_open.backward = frame;
	}
	ret = ((__typeof__(&torch_execute))torch_real(&real, EXECUTE))(place, self, roots, inputs,
		keep, create, accumulate, outputs);
	if (is_outermost)
		backward_end();
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
		tacho_torch_open.is_autograds = true;                                              \
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
static bool scope_begin(const char *name, uintptr_t frame)
{
	const char *ours = scope_find(name);

	if (likely(!ours) || tacho_torch_open.scope || !may_begin(frame))
		return false;
	tacho_torch_open.is_optimizer = *name == *OPTIMIZER;
	tacho_torch_open.due = *name == *DDP && torch_step_is_due() ? ours : NULL;
	if (!tacho_torch_open.due)
		mark_begin(SPOOL_MARK_REGION, ours, 0);
	return true;
}

#define SCOPE(function, symbol)                                                                    \
	TACHO_EXPORT torch_word function(torch_word place, torch_word name,                        \
		torch_word arguments) __asm__(symbol);                                             \
	torch_word function(torch_word place, torch_word name, torch_word arguments)               \
	{                                                                                          \
		static void *_Atomic real;                                                         \
		bool begins;                                                                       \
		torch_word ret;                                                                    \
                                                                                                   \
		tacho_torch_open.named = NULL; /* called by torch.ops itself */                    \
		begins = scope_begin(*(const char *const *)name,                                   \
			(uintptr_t)__builtin_frame_address(0));                                    \
		ret = ((__typeof__(&function))torch_real(&real, symbol))(place, name, arguments);  \
		if (begins)                                                                        \
			tacho_torch_open.scope = *(const void *const *)place;                      \
		return ret;                                                                        \
	}

/* libstdc++'s older std::string, which wheels up to 2.6 have, is "Ss" in names. */
#define STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define ENTER  "_ZN5torch8autograd8profiler25record_function_enter_newERK"
SCOPE(torch_scope, ENTER STRING "RKN3c108optionalIS7_EE")
SCOPE(torch_scope_std, ENTER STRING "RKSt8optionalIS7_E")
SCOPE(torch_scope_old, ENTER "SsRKN3c108optionalISsEE")
SCOPE(torch_scope_std_old, ENTER "SsRKSt8optionalISsE")

/*
 * Python's objects as CPython 3.7 to 3.11 has them in 64 bits, for which PyTorch 1.13 was made: a
 * tuple's number of items and the first of them, a string's length, state and text.
 */
enum { TUPLE_LENGTH = 2, TUPLE_FIRST, TEXT_LENGTH = 2, TEXT_STATE = 4, TEXT_AT = 6 };

/* Of the state: one byte per character, its text in the object itself, ASCII alone. */
enum { TEXT_BITS = 0x7c, TEXT_PLAIN = 0x64 };

/* Types by what their flags say: subclasses of int, tuple, str… each have a bit. */
enum { TYPE_FLAGS = 21, IS_TUPLE = 1 << 26, IS_TEXT = 1 << 28 };

static bool python_is(const uintptr_t *object, uintptr_t flag)
{
	return object && ((const uintptr_t *)object[1])[TYPE_FLAGS] & flag;
}

/* The first one of Python's arguments, if it is a plain text; else NULL. */
static const char *argument_text(const uintptr_t *tuple)
{
	const uintptr_t *text;

	if (!python_is(tuple, IS_TUPLE) || tuple[TUPLE_LENGTH] < 1)
		return NULL;
	text = (const uintptr_t *)tuple[TUPLE_FIRST];
	return python_is(text, IS_TEXT) && (text[TEXT_STATE] & TEXT_BITS) == TEXT_PLAIN &&
			text[TEXT_LENGTH]
		? (const char *)(text + TEXT_AT)
		: NULL;
}

/*
 * What Python calls by torch.ops: _get_operation_for_overload_or_packet(operations, symbol,
 * arguments, keywords, is_overload, key). 1.13 begins its scopes so, by a function that has no
 * name outside of libtorch; the first argument is the scope's name. The object is the
 * RecordFunction that is made within the call.
 */
#define OPERATION                                                                                  \
	"_ZN5torch3jit37_get_operation_for_overload_or_packetERKSt6vectorISt10shared_ptrINS0_8"    \
	"OperatorEESaIS4_EEN3c106SymbolEN8pybind114argsERKNSB_6kwargsEbNS9_8optionalINS9_11"       \
	"DispatchKeyEEE"

TACHO_EXPORT torch_word torch_operation(torch_word, torch_word, torch_word, torch_word, torch_word,
	torch_word, torch_word) __asm__(OPERATION);

torch_word torch_operation(torch_word place, torch_word operations, torch_word symbol,
	torch_word arguments, torch_word keywords, torch_word is_overload, torch_word key)
{
	static void *_Atomic real;
	const char *name = argument_text(*(const uintptr_t *const *)arguments);
	torch_word ret;

	tacho_torch_open.named = name && scope_find(name) ? name : NULL;
	ret = ((__typeof__(&torch_operation))torch_real(&real, OPERATION))(place, operations,
		symbol, arguments, keywords, is_overload, key);
	tacho_torch_open.named = NULL;
	return ret;
}

/* RecordFunction::RecordFunction(RecordScope) */
#define MADE	   "_ZN2at14RecordFunctionC1ENS_11RecordScopeE"
#define USER_SCOPE 7

TACHO_EXPORT torch_word torch_scope_made(torch_word self, torch_word scope) __asm__(MADE);

torch_word torch_scope_made(torch_word self, torch_word scope)
{
	static void *_Atomic real;

	if (unlikely(tacho_torch_open.named) && (uint8_t)(uintptr_t)scope == USER_SCOPE) {
		if (scope_begin(tacho_torch_open.named, (uintptr_t)__builtin_frame_address(0)))
			tacho_torch_open.scope = self;
		tacho_torch_open.named = NULL;
	}
	return ((__typeof__(&torch_scope_made))torch_real(&real, MADE))(self, scope);
}

/* With its first step after a backward pass, as analyze has it, a step of the training ends. */
static void optimizer_end(void)
{
	if (!tacho_torch_open.is_optimizer || !tacho_torch_open.passed)
		return;
	tacho_torch_open.passed = false;
	torch_optimizer_stepped();
}

/* RecordFunction::end(), of any; of one whose time is over already again when it is destroyed. */
#define END "_ZN2at14RecordFunction3endEv"

TACHO_EXPORT torch_word torch_scope_end(torch_word self, torch_word a) __asm__(END);

torch_word torch_scope_end(torch_word self, torch_word a)
{
	static void *_Atomic real;
	torch_word ret = ((__typeof__(&torch_scope_end))torch_real(&real, END))(self, a);

	if (unlikely(tacho_torch_open.scope) &&
		(uintptr_t)self - (uintptr_t)tacho_torch_open.scope < SCOPE_SIZE) {
		backward_drop((uintptr_t)__builtin_frame_address(0));
		tacho_torch_open.scope = NULL;
		if (!tacho_torch_open.due)
			mark_end(SPOOL_MARK_REGION, 0);
		tacho_torch_open.due = NULL;
		optimizer_end();
	}
	return ret;
}

/*
 * PyTorchStreamWriter::setup(name), as the archive of torch.save is opened, and writeEndOfFile().
 * In between the program's objects are pickled, their tensors checked and written.
 */
#define WRITER "_ZN6caffe29serialize19PyTorchStreamWriter"
#define CLOSE  WRITER "14writeEndOfFileEv"

#define WRITER_SETUP(function, symbol)                                                             \
	TACHO_EXPORT torch_word function(torch_word self, torch_word name) __asm__(symbol);        \
	torch_word function(torch_word self, torch_word name)                                      \
	{                                                                                          \
		static void *_Atomic real;                                                         \
                                                                                                   \
		save_begin(self, (uintptr_t)__builtin_frame_address(0));                           \
		return ((__typeof__(&function))torch_real(&real, symbol))(self, name);             \
	}

static void save_begin(const void *writer, uintptr_t frame)
{
	if (tacho_torch_open.scope || !may_begin(frame))
		return;
	mark_begin(SPOOL_MARK_REGION, REGION_TORCH_SAVE, 0);
	tacho_torch_open.writer = writer;
}

WRITER_SETUP(torch_save_open, WRITER "5setupERK" STRING)
WRITER_SETUP(torch_save_open_old, WRITER "5setupERKSs")

TACHO_EXPORT torch_word torch_save_close(torch_word, torch_word) __asm__(CLOSE);

torch_word torch_save_close(torch_word self, torch_word a)
{
	static void *_Atomic real;
	torch_word ret = ((__typeof__(&torch_save_close))torch_real(&real, CLOSE))(self, a);

	if (tacho_torch_open.writer == self)
		save_drop();
	return ret;
}
