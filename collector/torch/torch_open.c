/* torch_open.c - regions that end and begin with a step: the backward pass, and the forward pass that waits for one. */
#include "config.h"

#include "core/mark.h"
#include "torch/torch_call.h"

__thread struct torch_open tacho_torch_open __attribute__((tls_model("initial-exec")));

void torch_regions_end(void)
{
	if (!tacho_torch_open.backward || tacho_torch_open.is_ended)
		return;
	tacho_torch_open.is_ended = true;
	mark_end(SPOOL_MARK_REGION, 0);
}

void torch_regions_begin(void)
{
	const char *due = tacho_torch_open.due;

	tacho_torch_open.due = NULL;
	if (due && tacho_torch_open.scope)
		mark_begin(SPOOL_MARK_REGION, due, 0);
}
