/*
 * torch_import.c - a program that imports PyTorch is part of the job from there on: one that starts
 * its ranks itself (torch.multiprocessing.spawn), an actor or a server without a backward pass.
 */
#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "core/dlsym.h"
#include "core/rule.h"
#include "core/span.h"
#include "torch/torch.h"

/* Python looks up the first function of the extension module when libtorch is loaded. */
struct dlsym_answer torch_lookup(void *handle, const char *name)
{
	static const struct dlsym_answer not_ours;
	Dl_info where;

	if (atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_OPEN ||
		strcmp(name, "PyInit__C") || !dladdr(dlsym_real(handle, name), &where) ||
		!strstr(where.dli_fname, "/torch/_C."))
		return not_ours;
	if (!program_starts_others())
		thread_self(REGION_NONE);
	return not_ours;
}
