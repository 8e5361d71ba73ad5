/*
 * mpi_abi.c - picks the table of constants of the MPI library that the process uses. Open MPI's
 * handles are addresses of its objects, looked up here; the MPICH family's are numbers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "mpi/mpi_abi.h"
#include "core/real.h"

/* Until the library is known no more of a handle is read than every library has. */
struct mpi_abi tacho_abi = { .mask = ~(uintptr_t)0, .handle_bytes = 4 };

static const struct mpi_abi abis[] = {
#define ABI(name, width, place, ignore, any, null, the_root, truncate, bytes, source)              \
	{ .family = MPI_FAMILY_##name,                                                             \
		.handle_bytes = width,                                                             \
		.in_place = (uintptr_t)(place),                                                    \
		.mask = width == 4 ? UINT32_MAX : UINTPTR_MAX,                                     \
		.status_ignore = ignore,                                                           \
		.any_source = any,                                                                 \
		.proc_null = null,                                                                 \
		.root = the_root,                                                                  \
		.err_truncate = truncate,                                                          \
		.status_bytes = bytes,                                                             \
		.status_source = source },
	MPI_ABIS(ABI)
#undef ABI
};

/*
 * A data object of libmpi. RTLD_DEFAULT first: with copy relocations the
 * library's own twin is not the object in use. Then the library itself, for
 * a libmpi loaded with RTLD_LOCAL.
 */
static mpi_handle object_find(void *lib, const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return (mpi_handle)(found || !lib ? found : dlsym(lib, name));
}

static void openmpi_handles(struct mpi_abi *abi, void *lib)
{
	abi->world = object_find(lib, "ompi_mpi_comm_world");
	abi->self = object_find(lib, "ompi_mpi_comm_self");
	abi->comm_null = object_find(lib, "ompi_mpi_comm_null");
	abi->request_null = object_find(lib, "ompi_request_null");
	abi->win_null = object_find(lib, "ompi_mpi_win_null");
	abi->no_op = object_find(lib, "ompi_mpi_op_no_op");
}

static void mpich_handles(struct mpi_abi *abi)
{
	abi->world = MPICH_COMM_WORLD;
	abi->self = MPICH_COMM_SELF;
	abi->comm_null = MPICH_COMM_NULL;
	abi->request_null = MPICH_REQUEST_NULL;
	abi->win_null = MPICH_WIN_NULL;
	abi->no_op = MPICH_NO_OP;
}

/* The library that holds the real MPI_Init; NULL when it is the program itself. */
static void *library_open(void *init)
{
	Dl_info info;

	if (!init || !dladdr(init, &info) || !info.dli_fname)
		return NULL;
	return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

bool mpi_abi_find(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int saved = errno;
	struct mpi_abi abi;
	void *init, *lib;

	pthread_mutex_lock(&lock);
	init = real_symbol("MPI_Init");
	if (tacho_abi.family == MPI_FAMILY_NONE && init) {
		lib = library_open(init);
		abi = abis[object_find(lib, "ompi_mpi_comm_world") ? 0 : 1];
		if (abi.family == MPI_FAMILY_OPENMPI)
			openmpi_handles(&abi, lib);
		else
			mpich_handles(&abi);
		tacho_abi = abi;
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
	return init != NULL;
}
