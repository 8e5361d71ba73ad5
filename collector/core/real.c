/*
 * real.c - finds the functions behind the wrappers. RTLD_NEXT is not enough:
 * it sees nothing of what Python and others load with RTLD_LOCAL, though the
 * wrapper is called from there.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "core/dlsym.h"
#include "core/real.h"

void *tacho_real[REGION_COUNT];

static const char *const names[REGION_COUNT] = {
#define CALL(name, ...) [REGION_##name] = #name,
#include "tacho/mpi_calls.def"
#include "tacho/io_calls.def"
#include "tacho/wait_calls.def"
#undef CALL
#define CALL(name, role, shape, text, operation, symbol, ...) [REGION_##name] = symbol,
#include "tacho/torch_calls.def"
#undef CALL
};

const char *region_name(unsigned region)
{
	return region < REGION_COUNT && names[region] ? names[region] : "";
}

/* Asks dl_iterate_phdr for the name of object number `wanted`. */
struct hunt {
	int wanted;
	char name[PATH_MAX];
};

static int hunt_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct hunt *hunt = arg;

	(void)size;
	if (hunt->wanted-- > 0)
		return 0;
	snprintf(hunt->name, sizeof(hunt->name), "%s", info->dlpi_name);
	return 1;
}

void *real_in_object(const char *object, const char *name)
{
	void *handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD), *found;
	Dl_info where, self;

	if (!handle)
		return NULL;
	found = dlsym_real(handle, name);
	dlclose(handle);
	if (found && dladdr(found, &where) && dladdr((void *)&real_in_object, &self) &&
		where.dli_fbase == self.dli_fbase)
		return NULL;
	return found;
}

/*
 * Looks through everything that is loaded, object by object: dlopen inside
 * dl_iterate_phdr would take the loader's two locks in the wrong order.
 */
static void *any_symbol(const char *name)
{
	struct hunt hunt;
	void *found = NULL;

	for (int i = 0; !found; i++) {
		hunt.wanted = i;
		if (!dl_iterate_phdr(hunt_object, &hunt))
			return NULL;
		if (hunt.name[0])
			found = real_in_object(hunt.name, name);
	}
	return found;
}

/*
 * Condition variables have an old, incompatible version next to the default
 * one; which of them plain dlsym gives has changed over glibc's life.
 */
static void *next_symbol(const char *name)
{
	void *found = NULL;

	if (!strncmp(name, "pthread_cond_", 13))
		found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
	return found ? found : dlsym(RTLD_NEXT, name);
}

void *real_symbol(const char *name)
{
	static const char *const mpi[] = { "libmpi.so.40", "libmpi.so.12", "libmpich.so.12",
		"libmpi.so" };
	void *found = next_symbol(name);

	for (size_t i = 0; !found && i < sizeof(mpi) / sizeof(*mpi) &&
		(!strncmp(name, "MPI", 3) || !strncmp(name, "PMPI", 4));
		i++)
		found = real_in_object(mpi[i], name);
	return found ? found : any_symbol(name);
}

/*
 * Stands in for a libc function that this libc lacks. Programs that ask at
 * run time whether there is, say, close_range find the wrapper.
 */
static long missing(void)
{
	errno = ENOSYS;
	return -1;
}

void *real_lookup(unsigned region)
{
	int saved = errno;
	void *found = real_symbol(region_name(region));

	if (!found && region_class(region) != REGION_CLASS_MPI)
		found = (void *)&missing;
	if (found)
		__atomic_store_n(&tacho_real[region], found, __ATOMIC_RELAXED);
	errno = saved;
	return found;
}
