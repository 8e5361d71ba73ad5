/* map.c - see map.h. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "core/real.h"
#include "core/sandbox.h"
#include "core/span.h"
#include "core/sys.h"

#define MAPPINGS 2048 /* that are listed; further ones stay locked */
#define PAGE	 4096

/* The bounds of this library, as the linker lays it out. */
extern char __ehdr_start HIDDEN, _end HIDDEN;

/* A free place has size 0, one that is being written has an address 0. */
static struct {
	_Atomic uintptr_t at;
	_Atomic size_t size;
} mappings[MAPPINGS];
static _Atomic unsigned nmappings; /* places that were ever used */
static _Atomic bool are_locked;	   /* mappings from now on */

static void unlock(uintptr_t at, size_t size)
{
	if (at && size)
		syscall(SYS_munlock, at, size);
}

static bool place_take(unsigned i, uintptr_t at, size_t size)
{
	size_t none = 0;

	if (!atomic_compare_exchange_strong(&mappings[i].size, &none, size))
		return false;
	atomic_store(&mappings[i].at, at);
	return true;
}

static void note(uintptr_t at, size_t size)
{
	unsigned n = atomic_load(&nmappings);

	for (unsigned i = 0; i < n; i++)
		if (!atomic_load(&mappings[i].size) && place_take(i, at, size))
			return;
	while ((n = atomic_fetch_add(&nmappings, 1)) < MAPPINGS)
		if (place_take(n, at, size))
			return;
	atomic_store(&nmappings, MAPPINGS);
}

/* The rest of mapping `i` without a part of it. */
static void cut(unsigned i, uintptr_t from, uintptr_t to)
{
	uintptr_t at = atomic_load(&mappings[i].at), end = at + atomic_load(&mappings[i].size);

	if (from > at) {
		atomic_store(&mappings[i].size, from - at);
		if (end > to)
			note(to, end - to);
	} else if (end > to) {
		atomic_store(&mappings[i].at, to);
		atomic_store(&mappings[i].size, end - to);
	} else {
		atomic_store(&mappings[i].at, 0);
		atomic_store(&mappings[i].size, 0);
	}
}

static void forget(uintptr_t from, size_t n)
{
	unsigned last = atomic_load(&nmappings);

	for (unsigned i = 0; i < last && i < MAPPINGS; i++) {
		uintptr_t at = atomic_load(&mappings[i].at);

		if (at && at <= from && from - at < atomic_load(&mappings[i].size)) {
			cut(i, from, from + n);
			return;
		}
	}
}

/*
 * A mapping that is not locked grows without regard to the limit: only its first page needs room.
 */
static void *make_unlocked(size_t n, int prot, int flags, int fd, int64_t offset)
{
	void *page = sys_mmap(PAGE, prot, flags & ~MAP_POPULATE, fd, offset), *at;

	if (page == MAP_FAILED)
		return page;
	unlock((uintptr_t)page, PAGE);
	at = (void *)syscall(SYS_mremap, page, PAGE, n, MREMAP_MAYMOVE);
	if (at == MAP_FAILED)
		syscall(SYS_munmap, page, PAGE);
	return at;
}

void *map_make(size_t n, int prot, int flags, int fd, int64_t offset)
{
	void *at = atomic_load(&are_locked) ? make_unlocked(n, prot, flags, fd, offset)
					    : sys_mmap(n, prot, flags, fd, offset);

	if (at != MAP_FAILED)
		note((uintptr_t)at, n);
	return at;
}

int sys_munmap(void *p, size_t n)
{
	forget((uintptr_t)p, n); /* first: afterwards it may be the program's */
	return (int)syscall(SYS_munmap, p, n);
}

static void all_unlock(void)
{
	unsigned last = atomic_load(&nmappings);

	for (unsigned i = 0; i < last && i < MAPPINGS; i++)
		unlock(atomic_load(&mappings[i].at), atomic_load(&mappings[i].size));
	unlock((uintptr_t)&__ehdr_start, (size_t)(&_end - &__ehdr_start));
}

TACHO_WRAP(mlockall)
int mlockall(int flags)
{
	__typeof__(&mlockall) real = (__typeof__(&mlockall))real_libc("mlockall");
	int ret = real(flags), saved = errno;

	if (ret == 0 && !sandbox_is_on()) {
		atomic_store(&are_locked, (flags & MCL_FUTURE) != 0);
		all_unlock();
	}
	errno = saved;
	return ret;
}

TACHO_WRAP(munlockall)
int munlockall(void)
{
	__typeof__(&munlockall) real = (__typeof__(&munlockall))real_libc("munlockall");

	atomic_store(&are_locked, false);
	return real();
}
