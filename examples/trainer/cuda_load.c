/* cuda_load.c - cuda_load() of cuda.h: finds the module next to the program. */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cuda.h"
#include "say.h"

#ifdef HAVE_CUDA_TRAINER

/* Next to the installed program, or where libtool leaves it. */
static const char *const places[] = { "", ".libs/" };

static int module_path(char *path, size_t size, const char *place)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (length < 0)
		return fail("cannot find the program's own folder: %m (--device cuda)");
	path[length] = '\0';
	slash = strrchr(path, '/') + 1;
	snprintf(slash, path + size - slash, "%strainer-cuda.so", place);
	return 0;
}

const struct cuda_module *cuda_load(void)
{
	char path[4096];
	void *handle, *symbol;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (module_path(path, sizeof(path), places[i]) < 0)
			return NULL;
		if (access(path, R_OK) == 0)
			break;
	}
	/* Global: stand-ins of the CUDA libraries find the kernels' host versions by name. */
	handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	symbol = handle ? dlsym(handle, "trainer_cuda") : NULL;
	if (!symbol)
		fail("--device cuda: %s", dlerror());
	return symbol;
}

#else

const struct cuda_module *cuda_load(void)
{
	fail("--device cuda: this trainer was built without the CUDA toolkit (nvcc, cuBLAS): "
	     "install "
	     "it or name it with --with-cuda=DIR, and configure again");
	return NULL;
}

#endif
