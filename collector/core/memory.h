/*
 * memory.h - reads memory of this process by a system call: an address that is no longer mapped is
 * an error, and never a fault.
 */
#ifndef COLLECTOR_MEMORY_H
#define COLLECTOR_MEMORY_H

#include <errno.h>

#include "core/sys.h"

/* `n` pieces, which have the same sizes here and there. 0, or -1 with errno where one is missing. */
static inline int memory_read_pieces(const struct iovec *to, const struct iovec *from, size_t n,
	size_t size)
{
	/* the caller's own process, which a helper is: it has the same memory, and needs no rights */
	long self = tacho_task.stays ? (long)tacho_task.tid : syscall(SYS_getpid);
	ssize_t got = syscall(SYS_process_vm_readv, self, to, n, from, n, 0);

	if (got >= 0 && (size_t)got != size)
		errno = EFAULT;
	return got >= 0 && (size_t)got == size ? 0 : -1;
}

static inline int memory_read(uint64_t at, void *to, size_t size)
{
	struct iovec local = { to, size }, there = { (void *)(uintptr_t)at, size };

	return memory_read_pieces(&local, &there, 1, size);
}

#endif
