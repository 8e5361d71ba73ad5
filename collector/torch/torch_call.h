/* torch_call.h - one call of libtorch in progress, and the wrappers' declarations. */
#ifndef COLLECTOR_TORCH_CALL_H
#define COLLECTOR_TORCH_CALL_H

#include "torch/torch.h"

/*
 * All wrappers look alike: what the arguments are is the business of their bodies. Six are in
 * registers, the seventh on the stack, where there is something of the caller's in any case.
 */
#define CALL(name, role, shape, text, operation, symbol, ...)                                      \
	TACHO_EXPORT torch_word name(torch_word, torch_word, torch_word, torch_word, torch_word,   \
		torch_word, torch_word) __asm__(symbol);
#include "tacho/torch_calls.def"
#undef CALL

/* The function behind one that is no region, looked up when it is first wanted. */
static inline void *torch_real(void *_Atomic *at, const char *symbol)
{
	void *found = atomic_load_explicit(at, memory_order_relaxed);

	if (unlikely(!found)) {
		found = real_symbol(symbol);
		atomic_store_explicit(at, found, memory_order_relaxed);
	}
	return found;
}

struct torch_call {
	struct span span;
	struct torch_group *group; /* NULL: the call names none */
	uint32_t comm;		   /* its number; 0: none */
	uint32_t posts;		   /* of this thread, before the call */
};

/*
 * Whether operations were posted within the call: it is made of those, as gloo's reduce_scatter_tensor
 * of 2.6 is of an all-reduce, and none itself.
 */
bool torch_is_composed(const struct torch_call *call) HIDDEN;

/* Begins a call of a wrapper with this stack pointer. */
struct torch_call torch_begin_at(unsigned region, struct torch_group *group,
	uintptr_t frame) HIDDEN;

#define torch_begin(region, group)                                                                 \
	__extension__({                                                                            \
		SPAN_UNWOUND();                                                                    \
		torch_begin_at(region, group, span_frame());                                       \
	})

/* Ends it; the record carries the group's number. */
void torch_end(struct torch_call *call, unsigned type, const uint64_t *payload,
	unsigned npayload) HIDDEN;

/* What is known of Work, above its request's number (0: it ended before its post was seen). */
#define TORCH_WAITED	 ((uintptr_t)1 << 32) /* its wait has begun, or nobody will wait */
#define TORCH_ENDED	 ((uintptr_t)1 << 33)
#define TORCH_HAS_FUTURE ((uintptr_t)1 << 34) /* by which somebody may wait, where nobody sees it */
#define TORCH_IN_BUCKET	 ((uintptr_t)1 << 35) /* DDP waits for it */
#define TORCH_FROM_ANY	 ((uintptr_t)1 << 36) /* a receive from any source */

/* What is known of Work; the same from before these flags were added to it. */
uintptr_t torch_known(const void *work) HIDDEN;
uintptr_t torch_know(const void *work, uintptr_t flags) HIDDEN;
void torch_work_forked(void) HIDDEN;

/* A receive from any source; who sent it is known once its wait has ended, else SPOOL_RANK_ANY. */
void torch_from_any(const void *work) HIDDEN;
bool torch_is_from_any(const void *work) HIDDEN;
int32_t torch_source(const void *work) HIDDEN;

/* The future of Work, as long as that has not ended. */
void torch_future_add(const void *future, const void *work) HIDDEN;
void torch_future_drop(const void *work) HIDDEN;
void torch_future_forked(void) HIDDEN;

/*
 * What is open on this thread. Of passes only the outermost is a region: checkpointing runs others
 * within it. Where a device has a thread of autograd's, that runs them, for whoever called the
 * outermost one.
 */
struct torch_open {
	uintptr_t backward; /* its frame, 0: none */
	bool is_ended;	    /* its region is over before it is, with the step */
	const void *scope;  /* the object that represents it */
	const char *due;    /* its region will begin with the step, NULL: has begun */
	const char *named;  /* a call is open that will make that object, of a scope of ours */
	const void *writer; /* of the archive that is being saved */
	bool is_autograds;
	bool passed;	   /* a backward pass since the optimizer's latest step */
	bool is_optimizer; /* the scope is one of its steps */
};
extern __thread struct torch_open tacho_torch_open HIDDEN
	__attribute__((tls_model("initial-exec")));

/* Steps begin and end around regions: a backward pass ends with its step, if not before. */
void torch_regions_end(void) HIDDEN;

/* Begins the region of a forward pass that has waited for its step. */
void torch_regions_begin(void) HIDDEN;

/* Whether DDP's next forward pass begins a step. */
bool torch_step_is_due(void) HIDDEN;

/*
 * A backward pass has ended. Where nothing else makes steps, what comes between two may stay in detail
 * within a budget, as steps do: analyze may find that it is one.
 */
void torch_backward_passed(void) HIDDEN;

/* An optimizer's first step after a backward pass has ended, and with it a step where there is no DDP. */
void torch_optimizer_stepped(void) HIDDEN;

#define TORCH_BUCKETS_MOST                                                                         \
	1024 /* operations of a backward pass; more are not known to be completed */

/* An operation that was posted, when (ticks), and the bytes that go into it. */
struct torch_post {
	const void *work;
	uint32_t request;
	uint64_t begun, bytes;
};

/* Notes an operation that DDP's Reducer posted, and that gloo has ended it. */
void torch_bucket_posted(const struct torch_post *post) HIDDEN;
void torch_bucket_ended(const void *work) HIDDEN;

/*
 * The Reducer has waited for its operations in the call `waits`: adds them to the sums. Which of their requests
 * nobody else has waited for, as SPOOL_DONE_SHORT has them in `done`, of TORCH_BUCKETS_MOST; returns their number.
 */
unsigned torch_buckets_take(const void *reducer, const struct span *waits, uint64_t *done) HIDDEN;
void torch_buckets_forked(void) HIDDEN;

/* The Reducer that posts the operations of a bucket on this thread, or NULL. */
extern __thread const void *tacho_torch_reducing HIDDEN __attribute__((tls_model("initial-exec")));

#endif
