/*
 * torch_reducer.c - DistributedDataParallel: when its Reducer waits for its operations, and its steps.
 * A step of the first Reducer ends when the gradients exist (finalize_backward) and the next begins at
 * once; the first begins with the first forward. Where an optimizer steps once for several backward
 * passes (micro-batches), a step has one of the optimizer's: it ends with the first backward pass after
 * that. Where there is no Reducer, a step ends with the optimizer's. Where the program marks steps of
 * its own, there are no others.
 */
#include "config.h"

#include "core/keep.h"
#include "core/mark.h"
#include "torch/torch_call.h"

static struct {
	_Atomic uintptr_t reducer;     /* whose steps are told; 0: none yet */
	struct thread *_Atomic thread; /* which makes its forward passes */
	_Atomic uint64_t number;       /* of the open step, from 0 */
	_Atomic bool is_open;
	_Atomic bool is_over; /* its gradients exist, which another thread has seen */
	/* an optimizer has ever stepped; it has since the last step ended */
	_Atomic bool has_optimizer, has_stepped;
} steps;

static void step_begin(void)
{
	if (tacho_mark_has_steps || tacho_mark_has_named)
		return;
	mark_begin(SPOOL_MARK_STEP, "step", atomic_load(&steps.number) | SPOOL_STEP_FOUND);
	atomic_store(&steps.is_open, true);
}

static void step_end(void)
{
	atomic_store(&steps.is_over, false);
	if (!atomic_exchange(&steps.is_open, false))
		return;
	atomic_store(&steps.has_stepped, false);
	torch_regions_end();
	mark_end(SPOOL_MARK_STEP, 0);
	atomic_fetch_add(&steps.number, 1);
}

bool torch_step_is_due(void)
{
	return !tacho_mark_has_steps && !tacho_mark_has_named &&
		(!atomic_load(&steps.is_open) || atomic_load(&steps.is_over));
}

/* Reducer::prepare_for_forward(): begins a pass whose backward pass will reduce gradients. */
static void step_of_forward(uintptr_t reducer)
{
	uintptr_t none = 0;

	if (!thread_self(REGION_NONE))
		return;
	if (atomic_compare_exchange_strong(&steps.reducer, &none, reducer))
		atomic_store(&steps.thread, tacho_self);
	else if (none != reducer)
		return;
	if (atomic_load(&steps.is_over))
		step_end();
	if (!atomic_load(&steps.is_open))
		step_begin();
}

static void forward_begin(uintptr_t reducer)
{
	step_of_forward(reducer);
	torch_regions_begin();
}

void torch_backward_passed(void)
{
	static _Atomic uint64_t passes;

	if (tacho_mark_has_steps || tacho_mark_has_named || atomic_load(&steps.is_open) ||
		atomic_load(&steps.reducer) || !tacho_self || !tacho_self->head->is_main)
		return;
	keep_step_begin(atomic_fetch_add(&passes, 1));
}

void torch_optimizer_stepped(void)
{
	struct thread *none = NULL;

	atomic_store(&steps.has_optimizer, true);
	atomic_store(&steps.has_stepped, true);
	if (atomic_load(&steps.reducer) || !tacho_self ||
		(!atomic_compare_exchange_strong(&steps.thread, &none, tacho_self) &&
			none != tacho_self))
		return;
	step_end();
	step_begin();
}

/* Gradients exist. A thread of autograd's may have seen to the last of them. */
static void backward_end(uintptr_t reducer)
{
	if (atomic_load(&steps.reducer) != reducer || !tacho_self)
		return;
	if (atomic_load(&steps.has_optimizer) && !atomic_load(&steps.has_stepped))
		return; /* one more micro-batch */
	if (tacho_self != atomic_load(&steps.thread)) {
		atomic_store(&steps.is_over, true);
		return;
	}
	step_end();
	step_begin();
}

torch_word torch_finalize(torch_word self, torch_word a, torch_word b, torch_word c, torch_word d,
	torch_word e, torch_word f)
{
	struct torch_call call = torch_begin(REGION_torch_finalize, NULL);
	uint64_t done[TORCH_BUCKETS_MOST];
	torch_word ret = REAL(torch_finalize)(self, a, b, c, d, e, f);

	call.comm = torch_buckets_take(self, &call.span, done);
	torch_end(&call, call.comm ? SPOOL_DONE_SHORT : SPOOL_CALL, done, call.comm);
	backward_end((uintptr_t)self);
	return ret;
}

/* Methods that are not recorded themselves. */
#define METHOD(name, symbol, before, after)                                                        \
	TACHO_EXPORT torch_word name(torch_word self, torch_word a) __asm__(symbol);               \
	torch_word name(torch_word self, torch_word a)                                             \
	{                                                                                          \
		static void *_Atomic real;                                                         \
		torch_word ret;                                                                    \
                                                                                                   \
		before;                                                                            \
		ret = ((__typeof__(&name))torch_real(&real, symbol))(self, a);                     \
		after;                                                                             \
		return ret;                                                                        \
	}

METHOD(torch_forward, "_ZN4c10d7Reducer19prepare_for_forwardEv", forward_begin((uintptr_t)self), )
METHOD(torch_bucket, "_ZN4c10d7Reducer17all_reduce_bucketERNS0_6BucketE",
	tacho_torch_reducing = self, tacho_torch_reducing = NULL)
