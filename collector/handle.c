/* handle.c - the table of descriptors and what they are defined as. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "handle.h"
#include "process.h"
#include "sys.h"

_Atomic uint32_t tacho_handles[HANDLE_FDS];
static _Atomic uint32_t fd_highest;	/* that had an entry */

static uint32_t kind_of(const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:	return HANDLE_FILE;
	case S_IFDIR:	return HANDLE_DIR;
	case S_IFIFO:	return HANDLE_PIPE;
	case S_IFSOCK:	return HANDLE_SOCKET;
	case S_IFCHR:
	case S_IFBLK:	return HANDLE_DEVICE;
	default:	return HANDLE_OTHER;
	}
}

static uint32_t define(int fd, int flags)
{
	struct spool_def_handle body = { 0 };
	char link[32], path[PATH_MAX];
	struct stat st;
	uint32_t number, highest;
	ssize_t n;

	if (tacho_process.pid != sys_pid() || sys_fstat(fd, &st) < 0)
		return 0;
	body.kind = kind_of(&st);
	body.dev = st.st_dev;
	body.ino = st.st_ino;
	body.flags = (uint64_t)(flags < 0 ? sys_fcntl(fd, F_GETFL, 0) : flags);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = sys_readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	number = process_define_handle(&body, path);
	if (!number || number > HANDLE_NUMBER)
		return 0;
	highest = atomic_load(&fd_highest);
	while (highest < (unsigned)fd && !atomic_compare_exchange_weak(&fd_highest, &highest, (unsigned)fd))
		;
	number |= body.kind << HANDLE_KIND_SHIFT;
	atomic_store(&tacho_handles[fd], number);
	return number;
}

uint32_t handle_define(int fd, int flags)
{
	int saved = errno;
	uint32_t entry = (unsigned)fd < HANDLE_FDS ? define(fd, flags) : 0;

	errno = saved;
	return entry;
}

void handle_clear(unsigned first, unsigned last)
{
	unsigned highest = atomic_load(&fd_highest);

	if (first > highest || tacho_process.pid != sys_pid())
		return;
	for (unsigned fd = first; fd <= last && fd <= highest; fd++)
		atomic_store_explicit(&tacho_handles[fd], 0, memory_order_relaxed);
}

void handle_forked(void)
{
	for (unsigned fd = 0; fd <= fd_highest; fd++)
		tacho_handles[fd] = 0;
	fd_highest = 0;
}
