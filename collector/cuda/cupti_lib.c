/*
 * cupti_lib.c - finds libcupti at run time, see cupti_api.h. A library that the program has loaded
 * already (a framework's profiler links it) comes first: two of them in one process do not get
 * along. Then the one that belongs to the loaded CUDA runtime, then the system's.
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dlsym.h"
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

/*
 * Folders that may have it: next to the loaded CUDA runtime, of a toolkit or a Python package; next
 * to Python's loaded packages where the runtime is static; where the environment states that CUDA
 * or conda is; the system's.
 */
enum base { BASE_RUNTIME, BASE_PACKAGES, BASE_ENVIRONMENT, BASE_NONE, BASE_VERSIONS };

static const struct {
	uint8_t base;
	const char *variable, *rest;
} folders[] = {
	{ BASE_RUNTIME, NULL, "" },
	{ BASE_RUNTIME, NULL, "../extras/CUPTI/lib64/" },
	{ BASE_RUNTIME, NULL, "../../../extras/CUPTI/lib64/" },
	{ BASE_RUNTIME, NULL, "../../cuda_cupti/lib/" },
	{ BASE_PACKAGES, NULL, "nvidia/cu13/lib/" },
	{ BASE_PACKAGES, NULL, "nvidia/cuda_cupti/lib/" },
	{ BASE_PACKAGES, NULL, "triton/backends/nvidia/lib/cupti/" },
	{ BASE_ENVIRONMENT, "CUDA_HOME", "/extras/CUPTI/lib64/" },
	{ BASE_ENVIRONMENT, "CUDA_HOME", "/lib64/" },
	{ BASE_ENVIRONMENT, "CUDA_PATH", "/extras/CUPTI/lib64/" },
	{ BASE_ENVIRONMENT, "CUDA_PATH", "/lib64/" },
	{ BASE_ENVIRONMENT, "CONDA_PREFIX", "/lib/" },
	{ BASE_NONE, NULL, "" },
	{ BASE_NONE, NULL, "/usr/local/cuda/extras/CUPTI/lib64/" },
	{ BASE_NONE, NULL, "/usr/local/cuda/lib64/" },
	{ BASE_VERSIONS, NULL, "/extras/CUPTI/lib64/" },
	{ BASE_VERSIONS, NULL, "/lib64/" },
};

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

static int find_packages(struct dl_phdr_info *info, size_t size, void *arg)
{
	static const char *const names[] = { "/site-packages/", "/dist-packages/" };

	(void)size;
	for (int i = 0; i < 2; i++) {
		const char *found = strstr(info->dlpi_name, names[i]);

		if (found) {
			snprintf(arg, PATH_MAX, "%.*s", (int)(found - info->dlpi_name + 15),
				info->dlpi_name);
			return 1;
		}
	}
	return 0;
}

/* The last of /usr/local/cuda-VERSION, by its name. */
static void find_version(char path[PATH_MAX])
{
	DIR *folder = opendir("/usr/local");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (!strncmp(entry->d_name, "cuda-", 5) && strverscmp(entry->d_name, path) > 0)
			snprintf(path, PATH_MAX, "%s", entry->d_name);
	if (folder)
		closedir(folder);
	if (*path) {
		char name[NAME_MAX + 1];

		snprintf(name, sizeof(name), "%.255s", path);
		snprintf(path, PATH_MAX, "/usr/local/%s", name);
	}
}

/* What a folder begins with; false where there is nothing of the kind. */
static bool base_find(size_t i, char base[PATH_MAX])
{
	const char *value;

	*base = '\0';
	switch (folders[i].base) {
	case BASE_RUNTIME: return dl_iterate_phdr(find_runtime, base);
	case BASE_PACKAGES: return dl_iterate_phdr(find_packages, base);
	case BASE_ENVIRONMENT:
		value = getenv(folders[i].variable);
		snprintf(base, PATH_MAX, "%.3800s", value ? value : "");
		return *base;
	case BASE_VERSIONS: find_version(base); return *base;
	default: return true;
	}
}

/* The n-th place to inspect, "" for none there; false after the last. */
static bool place(unsigned n, char path[PATH_MAX], int *flags)
{
	const char *given = getenv("TACHO_CUPTI");
	char base[PATH_MAX];

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
	if (n >= NFOLDERS * NSONAMES)
		return false;
	if (base_find(n / NSONAMES, base))
		snprintf(path, PATH_MAX, "%.3800s%s%s", base, folders[n / NSONAMES].rest,
			sonames[n % NSONAMES]);
	return true;
}

/* Fills the table; false when the library lacks something. */
static bool functions_find(void *handle)
{
	struct cupti found = { 0 };
	struct link_map *map = NULL;
	bool complete = true;

#define FUNCTION(name, params)                                                                     \
	found.name = (int(*) params)dlsym_real(handle, "cupti" #name);                             \
	complete &= found.name != NULL;
#define OPTIONAL(name, params) found.name = (int(*) params)dlsym_real(handle, "cupti" #name);
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

		found = handle ? dlsym_real(handle, name) : NULL;
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
