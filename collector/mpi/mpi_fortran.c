/*
 * mpi_fortran.c - Fortran programs. Open MPI's bindings convert handles and constants to C's and
 * then call the functions by their second names, PMPI_…, so they bypass the wrappers. MPICH's call
 * the first names, but its module mpi_f08 calls some by the second. Calls of second names from a
 * library of bindings are redirected to the wrapper of the first name. All other calls keep their
 * target: they come from other tools' wrappers, which ours called, or from MPI itself.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mpi/mpi_call.h"

/*
 * RATIONALE: which object a call comes from is asked of the loader, which
 * takes a lock, so the answer is kept per place of a call. A word holds the
 * return address and, in its lowest bit, the answer; places that share one
 * only ask again. Return addresses on x86 may be odd: they are shifted.
 */
enum { PLACES = 1024 };

static uint64_t places[PLACES];

static bool place_ask(const void *from)
{
	int saved = errno;
	Dl_info where;
	const char *name;
	bool known = dladdr(from, &where) && where.dli_fname;

	errno = saved;
	if (!known)
		return false;
	name = strrchr(where.dli_fname, '/');
	name = name ? name + 1 : where.dli_fname;
	/* libmpi_mpifh of Open MPI; libmpifort, libmpichfort of MPICH and its family */
	return !strncmp(name, "lib", 3) &&
		(strstr(name, "mpifh") || strstr(name, "mpifort") || strstr(name, "mpichfort"));
}

/* Whether the place of a call is in a library of Fortran bindings. Keeps errno. */
static bool is_fortran(const void *from)
{
	uint64_t *place = &places[((uintptr_t)from ^ (uintptr_t)from >> 10) % PLACES];
	uint64_t known = __atomic_load_n(place, __ATOMIC_RELAXED);

	if (unlikely(known >> 1 != (uintptr_t)from)) {
		known = (uint64_t)(uintptr_t)from << 1 | place_ask(from);
		__atomic_store_n(place, known, __ATOMIC_RELAXED);
	}
	return known & 1;
}

/*
 * RATIONALE: all arguments of MPI's functions are integers and addresses, 13 at most, and a caller
 * passes each in a register or in one word. So they can be passed on without their types, and the
 * table needs no signatures of irregular functions. Words after the last argument are read and
 * passed on without effect.
 */
typedef long word;
#define WORDS                                                                                      \
	word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k,    \
		word l, word m
#define PASSED a, b, c, d, e, f, g, h, i, j, k, l, m

typedef word function(WORDS);

static void *seconds[REGION_COUNT]; /* the real functions of the second names */

static function *second_real(unsigned region)
{
	void *found = __atomic_load_n(&seconds[region], __ATOMIC_RELAXED);
	int saved = errno;
	char name[64];

	if (likely(found))
		return (function *)found;
	snprintf(name, sizeof(name), "P%s", region_name(region));
	found = real_symbol(name);
	errno = saved;
	if (!found)
		return (function *)mpi_real(region);
	__atomic_store_n(&seconds[region], found, __ATOMIC_RELAXED);
	return (function *)found;
}

#define CALL(name, ...)                                                                            \
	function own_##name HIDDEN;                                                                \
	TACHO_EXPORT function P##name;                                                             \
	word P##name(WORDS)                                                                        \
	{                                                                                          \
		return likely(is_fortran(__builtin_return_address(0)))                             \
			? own_##name(PASSED)                                                       \
			: second_real(REGION_##name)(PASSED);                                      \
	}
#include "tacho/mpi_calls.def"
#undef CALL
