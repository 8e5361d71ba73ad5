/*
 * cupti_lib.c - finds libcupti at run time, see cupti_api.h. One that the program
 * has loaded already (a framework's profiler links it) comes first: two of
 * them in one process do not get along. Then the one that belongs to the
 * loaded CUDA runtime, then what the system has.
 */
#include "config.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cupti_api.h"

struct cupti tacho_cupti;

static const char *const sonames[] = {
	"libcupti.so.13",
	"libcupti.so.12",
	"libcupti.so.11.8",
	"libcupti.so.11.7",
	"libcupti.so.11.6",
	"libcupti.so.11.5",
	"libcupti.so.11.4",
	"libcupti.so.11.3",
	"libcupti.so.11.2",
	"libcupti.so.11.1",
	"libcupti.so.11.0",
	"libcupti.so",
};

#define NSONAMES (sizeof(sonames) / sizeof(*sonames))

/* Where it may lie, as seen from the runtime's folder: toolkits, then Python's packages. */
static const char *const beside_runtime[] = { "", "../extras/CUPTI/lib64/",
	"../../../extras/CUPTI/lib64/", "../../cuda_cupti/lib/" };
static const char *const folders[] = { "", "/usr/local/cuda/extras/CUPTI/lib64/",
	"/usr/local/cuda/lib64/" };

#define NBESIDE	 (sizeof(beside_runtime) / sizeof(*beside_runtime))
#define NFOLDERS (sizeof(folders) / sizeof(*folders))

static int find_runtime(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libcudart.so"))
		return 0;
	snprintf(arg, PATH_MAX, "%s", info->dlpi_name);
	*(strrchr(arg, '/') + 1) = '\0';
	return 1;
}

/* The n-th place to look at, "" for none there; false after the last. */
static bool place(unsigned n, char path[PATH_MAX], int *flags)
{
	const char *given = getenv("TACHO_CUPTI");
	char runtime[PATH_MAX] = "";

	*path = '\0';
	*flags = RTLD_LAZY;
	if (n == 0) {
		snprintf(path, PATH_MAX, "%s", given ? given : "");
		return true;
	}
	if (--n < NSONAMES) {
		*flags |= RTLD_NOLOAD;
		snprintf(path, PATH_MAX, "%s", sonames[n]);
		return true;
	}
	n -= NSONAMES;
	if (n < NBESIDE * NSONAMES) {
		if (dl_iterate_phdr(find_runtime, runtime))
			snprintf(path, PATH_MAX, "%.3800s%s%s", runtime,
				beside_runtime[n / NSONAMES], sonames[n % NSONAMES]);
		return true;
	}
	n -= NBESIDE * NSONAMES;
	if (n >= NFOLDERS * NSONAMES)
		return false;
	snprintf(path, PATH_MAX, "%s%s", folders[n / NSONAMES], sonames[n % NSONAMES]);
	return true;
}

/* Fills the table; false when the library lacks something. */
static bool functions_find(void *handle)
{
	struct cupti found = { 0 };
	struct link_map *map = NULL;
	bool complete = true;

#define FUNCTION(name, params)                                                                     \
	found.name = (int(*) params)dlsym(handle, "cupti" #name);                                  \
	complete &= found.name != NULL;
#define OPTIONAL(name, params) found.name = (int(*) params)dlsym(handle, "cupti" #name);
	CUPTI_FUNCTIONS(FUNCTION, OPTIONAL)
#undef FUNCTION
#undef OPTIONAL
	if (!complete || found.GetVersion(&found.version) != CUPTI_OK)
		return false;
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
		snprintf(found.path, sizeof(found.path), "%s", map->l_name);
	tacho_cupti = found;
	return true;
}

bool cupti_open(unsigned *next)
{
	char path[PATH_MAX], last[sizeof(tacho_cupti.path)];
	int flags;

	snprintf(last, sizeof(last), "%s", tacho_cupti.path);
	while (place(*next, path, &flags)) {
		void *handle;

		(*next)++;
		handle = *path ? dlopen(path, flags) : NULL;
		/* one that was tried under another name is not tried again */
		if (handle && functions_find(handle) && strcmp(last, tacho_cupti.path) != 0)
			return true;
	}
	return false;
}

void *cupti_symbol(const char *name)
{
	for (size_t i = 0; i < NSONAMES; i++) {
		void *handle = dlopen(sonames[i], RTLD_LAZY | RTLD_NOLOAD), *found;

		found = handle ? dlsym(handle, name) : NULL;
		if (handle)
			dlclose(handle);
		if (found)
			return found;
	}
	return NULL;
}

const char *cupti_text(int result)
{
	const char *text = NULL;

	if (tacho_cupti.GetResultString && tacho_cupti.GetResultString(result, &text) == CUPTI_OK &&
		text)
		return text;
	return "no further explanation";
}
