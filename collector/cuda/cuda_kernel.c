/*
 * cuda_kernel.c - kernels' names, each written once; see cuda_capture.h. Open
 * addressing by hash of the text, as in mark.c; the hash has 64 bits, so texts
 * are not compared. CUPTI's pointers are no key: a module's can come again for
 * another's name.
 */
#include "config.h"

#include <sched.h>
#include <string.h>

#include "cuda/cuda_capture.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"

/* power of two; later kernels are looked up no more but written again */
#define KERNELS_MAX 32768
#define PROBES	    64

static struct {
	_Atomic uint64_t hash;
	_Atomic uint32_t id; /* 0: being defined */
} kernels[KERNELS_MAX];

/* Never 0. */
static uint64_t hash_text(const char *text)
{
	size_t n = strlen(text);
	uint64_t hash = n * 0x9e3779b97f4a7c15u, word = 0;

	for (; n >= 8; n -= 8, text += 8) {
		memcpy(&word, text, 8);
		hash = (hash ^ word) * 0x9fb21c651e98df25u;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, text, n);
	hash = (hash ^ word) * 0x9fb21c651e98df25u;
	return (hash ^ hash >> 29) | 1;
}

static uint32_t define(const char *name)
{
	struct def def = { .type = DEF_KERNEL, .id = process_allot(DEF_KERNEL), .text = name };

	return process_define(&def) < 0 ? 0 : def.id;
}

uint32_t cuda_kernel_number(const char *name)
{
	uint64_t hash, seen;
	uint32_t id;

	if (!name || !*name)
		return 0;
	hash = hash_text(name);
	for (unsigned i = 0; i < PROBES; i++) {
		unsigned at = (unsigned)(hash / 2 + i) % KERNELS_MAX;

		seen = atomic_load_explicit(&kernels[at].hash, memory_order_relaxed);
		if (!seen && atomic_compare_exchange_strong(&kernels[at].hash, &seen, hash)) {
			id = define(name);
			/*
			 * one that could not be written stays nameless: it would not be later as well
			 */
			atomic_store_explicit(&kernels[at].id, id ? id : UINT32_MAX,
				memory_order_release);
			return id;
		}
		if (seen != hash)
			continue;
		while (!(id = atomic_load_explicit(&kernels[at].id, memory_order_acquire)))
			sched_yield(); /* another thread writes it just now */
		return id == UINT32_MAX ? 0 : id;
	}
	return define(name);
}

void cuda_kernels_forked(void)
{
	sys_zero(kernels, sizeof(kernels));
}
