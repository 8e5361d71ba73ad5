/*
 * torch_ends.c - operations whose end the program learns otherwise than by a wait: gloo ends them, and the
 * program takes their future, asks for their state or lets go of them.
 */
#include "config.h"

#include "core/process.h"
#include "torch/torch_call.h"

static void torch_forked(void)
{
	torch_work_forked();
	torch_buckets_forked();
	torch_future_forked();
}

const struct source tacho_torch_source = { .used = USED_TORCH,
	.forked = torch_forked,
	.lookup = torch_lookup };

/* Nobody will be seen to wait for it: it is complete here and now. */
static void completion_record(const void *work)
{
	uint32_t request;
	uint64_t done;
	struct torch_call call;

	/* first: a forked child joins by it, and knows of no operation then (torch_forked) */
	if (!thread_self(REGION_torch_finish) || !(request = torch_waited(work)))
		return;
	done = spool_pair(request, SPOOL_BYTES_HUGE);
	call = torch_begin(REGION_torch_finish, NULL);
	call.comm = 1;
	torch_end(&call, SPOOL_DONE_SHORT, &done, 1);
}

/* AsyncWork::finishWorkGloo(), on gloo's thread. */
torch_word torch_finish(torch_word self, torch_word a, torch_word b, torch_word c, torch_word d,
	torch_word e, torch_word f)
{
	uintptr_t known = torch_know(self, TORCH_ENDED);

	if (known & TORCH_HAS_FUTURE)
		torch_future_drop(self);
	if (known & TORCH_IN_BUCKET)
		torch_bucket_ended(self);
	if (known & TORCH_HAS_FUTURE && !(known & (TORCH_WAITED | TORCH_IN_BUCKET)))
		completion_record(self);
	return REAL(torch_finish)(self, a, b, c, d, e, f);
}

/* AsyncWork::getFuture(): waits for that are seen in torch_future.c, but not for what follows from it. */
TACHO_EXPORT torch_word torch_future(torch_word place, torch_word self) __asm__(
	"_ZN4c10d16ProcessGroupGloo9AsyncWork9getFutureEv");
torch_word torch_future(torch_word place, torch_word self)
{
	static void *_Atomic real;
	uintptr_t known = torch_know(self, TORCH_HAS_FUTURE);
	torch_word ret;

	if (known & TORCH_ENDED && !(known & (TORCH_WAITED | TORCH_IN_BUCKET)))
		completion_record(self);
	ret = ((__typeof__(&torch_future))torch_real(&real,
		"_ZN4c10d16ProcessGroupGloo9AsyncWork9getFutureEv"))(place, self);
	if (known && !(known & (TORCH_ENDED | TORCH_IN_BUCKET)))
		torch_future_add(*(void *const *)place, self);
	return ret;
}

/* Work::isCompleted(): whoever has seen that need not wait. */
TACHO_EXPORT bool torch_completed(torch_word self) __asm__("_ZN4c10d4Work11isCompletedEv");
bool torch_completed(torch_word self)
{
	static void *_Atomic real;
	bool is = ((__typeof__(&torch_completed))torch_real(&real, "_ZN4c10d4Work11isCompletedEv"))(
		self);

	if (is && !(torch_known(self) & (TORCH_WAITED | TORCH_IN_BUCKET)))
		completion_record(self);
	return is;
}

/* Work::~Work(): nobody has waited for it, and nobody can any more. */
TACHO_EXPORT void torch_gone(torch_word self) __asm__("_ZN4c10d4WorkD2Ev");
void torch_gone(torch_word self)
{
	static void *_Atomic real;
	uintptr_t known = torch_known(self);

	if (known & TORCH_ENDED && !(known & (TORCH_WAITED | TORCH_IN_BUCKET)))
		completion_record(self);
	((__typeof__(&torch_gone))torch_real(&real, "_ZN4c10d4WorkD2Ev"))(self);
}
