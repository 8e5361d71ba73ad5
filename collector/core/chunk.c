/*
 * chunk.c - stretches of a spool file. Space is reserved before it is mapped:
 * a full disk then is an error here and not a SIGBUS in the program.
 */
#include "config.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "core/budget.h"
#include "core/chunk.h"
#include "core/proc_file.h"
#include "core/sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define ZERO_PIECES 128 /* 512 KB a call */

/* Bytes written at `offset`, some at least; or -1 with errno. */
static ssize_t pieces_write(int fd, int64_t offset, const struct iovec *pieces, size_t n)
{
	ssize_t written;

	own_write_begin();
	written = syscall(SYS_pwritev, fd, pieces, n, (long)offset, 0L);
	own_write_end(&tacho_spool_bytes, written);
	if (written == 0)
		errno = ENOSPC;
	return written > 0 ? written : -1;
}

/* Writes `size` zeroes from `offset` on; size is a multiple of 4096. 0, or -1 with errno. */
static int zeroes_write(int fd, int64_t offset, size_t size)
{
	static const char zeroes[4096];
	struct iovec pieces[ZERO_PIECES];
	ssize_t n;

	for (int i = 0; i < ZERO_PIECES; i++)
		pieces[i] = (struct iovec){ (void *)(uintptr_t)zeroes, sizeof(zeroes) };
	for (size_t done = 0; done < size; done += (size_t)n) {
		size_t left = (size - done) / sizeof(zeroes);

		n = pieces_write(fd, offset + (int64_t)done, pieces,
			left < ZERO_PIECES ? left : ZERO_PIECES);
		if (n < 0)
			return -1;
	}
	return 0;
}

/* Growing past RLIMIT_FSIZE would raise SIGXFSZ. */
static int size_allowed(int64_t end)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
		(uint64_t)end <= limit.rlim_cur;
}

void *file_map_reserved(int fd, int64_t offset, size_t size)
{
	void *map = sys_map_file(fd, offset, size, PROT_READ | PROT_WRITE);

	return map == MAP_FAILED ? NULL : map;
}

void *file_map(int fd, int64_t offset, size_t size)
{
	void *map;

	if (!size_allowed(offset + (int64_t)size)) {
		errno = EFBIG;
		return NULL;
	}
	if (sys_fallocate(fd, offset, (int64_t)size) < 0) {
		if (errno != EOPNOTSUPP && errno != ENOSYS)
			return NULL;
		if (zeroes_write(fd, offset, size) < 0)
			return NULL;
	} else {
		/*
		 * Mapping a written page takes 0.6 µs, a page that a fault must first make 3.6 µs
		 * (ext4). A failure here leaves the page to the fault.
		 */
		zeroes_write(fd, offset, size);
	}
	map = file_map_reserved(fd, offset, size);
	if (map)
		budget_add((int64_t)size);
	return map;
}

int file_write(int fd, int64_t offset, const void *from, size_t size)
{
	ssize_t n;

	if (!size_allowed(offset + (int64_t)size)) {
		errno = EFBIG;
		return -1;
	}
	for (size_t done = 0; done < size; done += (size_t)n) {
		struct iovec piece = { (char *)(uintptr_t)from + done, size - done };

		n = pieces_write(fd, offset + (int64_t)done, &piece, 1);
		if (n < 0)
			return -1;
	}
	return 0;
}

int chunk_populate(void *chunk, size_t size)
{
	return sys_madvise(chunk, size, MADV_POPULATE_WRITE);
}

void chunk_touch(void *chunk, size_t size)
{
	for (char *page = chunk, *end = page + size; page < end; page += 4096)
		__atomic_fetch_or(page, 0, __ATOMIC_RELAXED); /* a write that changes nothing */
}
