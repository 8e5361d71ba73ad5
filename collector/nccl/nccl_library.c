/*
 * nccl_library.c - the NCCLs of this process. Frameworks bring their own, so
 * there may be two: each is known by the object it is in, and a call goes
 * to that of its communicator.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "core/dlsym.h"
#include "nccl/nccl.h"
#include "core/real.h"

#define NAME_SIZE 32
#define CALLERS	  64 /* power of two */

struct nccl_library tacho_nccl_libraries[NCCL_LIBRARIES];

/* By number of the call; rows, so that the loader has no pointers to relocate. */
static const char names[NCCL_CALLS][NAME_SIZE] = {
#define CALL(name, ...) [REGION_##name - REGION_NCCL_FIRST_] = #name,
#include "tacho/nccl_calls.def"
#undef CALL
};

unsigned nccl_region(const char *name)
{
	for (unsigned i = 0; i < NCCL_CALLS; i++)
		if (!strcmp(names[i], name))
			return REGION_NCCL_FIRST_ + i;
	return 0;
}

int nccl_missing(void)
{
	return NCCL_INVALID_USAGE;
}

static bool object_of(void *address, Dl_info *info)
{
	Dl_info self;

	return address && dladdr(address, info) && info->dli_fbase &&
		dladdr((void *)&nccl_missing, &self) && info->dli_fbase != self.dli_fbase;
}

struct nccl_library *nccl_library_at(void *address)
{
	Dl_info info;
	uintptr_t base, seen;

	if (!object_of(address, &info))
		return NULL;
	base = (uintptr_t)info.dli_fbase;
	for (unsigned i = 0; i < NCCL_LIBRARIES; i++) {
		struct nccl_library *library = &tacho_nccl_libraries[i];

		seen = atomic_load(&library->base);
		if (!seen && atomic_compare_exchange_strong(&library->base, &seen, base))
			seen = base;
		if (seen == base)
			return library;
	}
	return NULL;
}

/*
 * A function of the main program, which cannot be opened by its name. It comes before us in the
 * global scope, so that its symbols are found there first.
 */
static void *program_symbol(uintptr_t base, const char *name)
{
	void *found = dlsym_real(RTLD_DEFAULT, name);
	Dl_info info;

	return object_of(found, &info) && (uintptr_t)info.dli_fbase == base
		? found
		: dlsym_real(RTLD_NEXT, name);
}

/* A function's address in a library's own scope; NULL. */
static void *library_symbol(struct nccl_library *library, const char *name)
{
	uintptr_t base = atomic_load(&library->base);
	Dl_info info;

	if (!library->handle && object_of((void *)base, &info))
		library->handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	return library->handle ? dlsym_real(library->handle, name) : program_symbol(base, name);
}

void *nccl_real_lookup(struct nccl_library *library, unsigned region)
{
	int saved = errno;
	void *found = library ? library_symbol(library, names[region - REGION_NCCL_FIRST_]) : NULL;

	if (found)
		atomic_store(&library->real[region - REGION_NCCL_FIRST_], found);
	errno = saved;
	return found;
}

/*
 * The function that the caller's object would have found: first in the global scope, then in the
 * object's libraries.
 */
static void *caller_symbol(const char *name, void *caller)
{
	void *found = dlsym_real(RTLD_NEXT, name);
	Dl_info info;

	if (!found && object_of(caller, &info))
		found = real_in_object(info.dli_fname, name);
	if (!found)
		found = real_in_object("libnccl.so.2", name);
	return found ? found : real_symbol(name);
}

/*
 * Callers and their libraries, remembered: address << 8 | number of the library in one word. A
 * collision only costs another search.
 */
static _Atomic uint64_t callers[CALLERS];

struct nccl_library *nccl_library_of(unsigned region, void *caller)
{
	_Atomic uint64_t *slot = &callers[((uintptr_t)caller >> 4) % CALLERS];
	uint64_t seen = atomic_load_explicit(slot, memory_order_relaxed);
	struct nccl_library *library;
	int saved = errno;

	if (caller && seen >> 8 == (uintptr_t)caller)
		return &tacho_nccl_libraries[seen & 0xff];
	library = nccl_library_at(caller_symbol(names[region - REGION_NCCL_FIRST_], caller));
	if (caller && library)
		atomic_store(slot,
			(uint64_t)(uintptr_t)caller << 8 |
				(uint64_t)(library - tacho_nccl_libraries));
	errno = saved;
	return library;
}
