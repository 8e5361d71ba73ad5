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
#include <stdlib.h>
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

/*
 * Condition variables have an old, incompatible version next to the default
 * one; which of them plain dlsym gives has changed over glibc's life.
 */
static void *default_symbol(void *handle, const char *name)
{
	void *found = NULL;

	if (!strncmp(name, "pthread_cond_", 13))
		found = dlvsym(handle, name, "GLIBC_2.3.2");
	return found ? found : dlsym_real(handle, name);
}

void *real_in_object(const char *object, const char *name)
{
	void *handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD), *found;
	Dl_info where, self;

	if (!handle)
		return NULL;
	found = default_symbol(handle, name);
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

static void *next_symbol(const char *name)
{
	return default_symbol(RTLD_NEXT, name);
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
 * Prefixes of the file names of libc's parts, and of libraries that replace some of their
 * functions.
 */
static const char *const libcs[] = { "libc.so", "libc-2.", "libpthread.so", "libpthread-2.",
	"librt.so", "librt-2.", "libdl.so", "libdl-2.", "libm.so", "libm-2.", "libanl.so",
	"ld-linux", "ld-2.", "libasan.so", "libubsan.so", "liblsan.so", "libhwasan.so",
	"libclang_rt." };

/*
 * Whether LD_PRELOAD names a file of this name: the user asked for it to replace libc's functions.
 */
static bool is_preloaded(const char *file)
{
	const char *list = getenv("LD_PRELOAD");
	size_t length = strlen(file);

	for (const char *at = list; at && *file && (at = strstr(at, file)); at++)
		if ((at == list || strchr("/: ", at[-1])) &&
			(!at[length] || strchr(": ", at[length])))
			return true;
	return false;
}

static bool is_libcs(const char *path)
{
	const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	for (size_t i = 0; i < sizeof(libcs) / sizeof(*libcs); i++)
		if (!strncmp(file, libcs[i], strlen(libcs[i])))
			return true;
	return is_preloaded(file);
}

/* Whose code an address is in. */
struct owner {
	uintptr_t address;
	bool is_libcs;
};

static int owner_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct owner *owner = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
			owner->address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
				info->dlpi_phdr[i].p_memsz) {
			owner->is_libcs = is_libcs(info->dlpi_name);
			return 1;
		}
	return 0;
}

static bool is_foreign(void *found)
{
	struct owner owner = { .address = (uintptr_t)found, .is_libcs = true };

	if (found)
		dl_iterate_phdr(owner_look, &owner);
	return !owner.is_libcs;
}

void *real_foreign(const char *name)
{
	void *found = dlsym_real(RTLD_NEXT, name); /* whatever its version */

	if (!found)
		found = any_symbol(name);
	return is_foreign(found) ? found : NULL;
}

void *real_libc(const char *name)
{
	static const char *const parts[] = { "libc.so.6", "libpthread.so.0", "librt.so.1",
		"libanl.so.1" };
	void *found = next_symbol(name);

	if (!is_foreign(found))
		return found;
	found = NULL;
	for (size_t i = 0; !found && i < sizeof(parts) / sizeof(*parts); i++)
		found = real_in_object(parts[i], name);
	return is_foreign(found) ? NULL : found;
}

/*
 * Replaces a libc function that this libc lacks. A program that asks at run time whether, for
 * example, close_range exists finds the wrapper.
 */
static long missing(void)
{
	errno = ENOSYS;
	return -1;
}

void *real_lookup(unsigned region)
{
	int saved = errno;
	enum region_class class = region_class(region);
	bool is_libcs = class == REGION_CLASS_IO || class == REGION_CLASS_WAIT;
	void *found = is_libcs ? real_libc(region_name(region)) : real_symbol(region_name(region));

	if (!found && class != REGION_CLASS_MPI)
		found = (void *)&missing;
	if (found)
		__atomic_store_n(&tacho_real[region], found, __ATOMIC_RELAXED);
	errno = saved;
	return found;
}
