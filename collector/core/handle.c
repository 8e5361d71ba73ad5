/* handle.c - the table of descriptors and what they are defined as. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/capture.h"
#include "core/handle.h"
#include "core/process.h"
#include "core/sys.h"

_Atomic uint32_t tacho_handles[HANDLE_FDS];
static _Atomic uint32_t fd_highest; /* that had an entry */

/*
 * Pairs of sockets, by inode; of very many the last ones. A forked child knows those of its parent;
 * who inherits one through exec does not, but whoever made it does.
 */
enum { PAIRS = 1 << 10 };

static struct {
	_Atomic uint64_t ends[2];
} pairs[PAIRS];
static _Atomic uint32_t npairs;

void handle_pair(const int ends[2])
{
	int saved = errno;
	struct stat one, other;

	if (sys_fstat(ends[0], &one) >= 0 && sys_fstat(ends[1], &other) >= 0) {
		uint32_t place = atomic_fetch_add(&npairs, 1) % PAIRS;

		atomic_store(&pairs[place].ends[0], one.st_ino);
		atomic_store(&pairs[place].ends[1], other.st_ino);
	}
	errno = saved;
}

/* The other end of a pair of sockets, 0 when it is not one. */
static uint64_t peer_of(uint64_t inode)
{
	uint32_t n = atomic_load(&npairs);

	for (uint32_t i = 0; i < n && i < PAIRS; i++)
		for (int end = 0; end < 2; end++)
			if (atomic_load(&pairs[i].ends[end]) == inode)
				return atomic_load(&pairs[i].ends[!end]);
	return 0;
}

static uint32_t kind_of(const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG: return HANDLE_FILE;
	case S_IFDIR: return HANDLE_DIR;
	case S_IFIFO: return HANDLE_PIPE;
	case S_IFSOCK: return HANDLE_SOCKET;
	case S_IFCHR:
	case S_IFBLK: return HANDLE_DEVICE;
	default: return HANDLE_OTHER;
	}
}

/* Whether a path has no empty, "." or ".." part. */
static bool path_is_plain(const char *path)
{
	const char *part = path + (*path == '/');

	for (size_t n; *part; part += n + (part[n] == '/')) {
		n = strcspn(part, "/");
		if (!n || (*part == '.' && (n == 1 || (n == 2 && part[1] == '.'))))
			return false;
	}
	return true;
}

/*
 * The absolute path. The kernel's answer costs 3 us, more than opening a
 * cached file, so it is asked only when the program's words do not tell:
 * symbolic links stay as the program named them, device and inode identify
 * the file.
 */
static void path_find(char full[PATH_MAX], int fd, const char *path)
{
	char link[32];
	ssize_t n = 0;

	if (path && path_is_plain(path)) {
		if (*path != '/') {
			/* counts the NUL, whose place "/" takes */
			n = syscall(SYS_getcwd, full, PATH_MAX);
			if (n > 0)
				full[n - 1] = '/';
		}
		if (n >= 0 && n + strlen(path) < PATH_MAX) {
			memcpy(full + n, path, strlen(path) + 1);
			return;
		}
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = sys_readlink(link, full, PATH_MAX - 1);
	full[n < 0 ? 0 : n] = '\0';
}

static void highest_raise(unsigned fd)
{
	uint32_t highest = atomic_load(&fd_highest);

	while (highest < fd && !atomic_compare_exchange_weak(&fd_highest, &highest, fd))
		;
}

static uint32_t define(int fd, int flags, const char *path)
{
	struct spool_def_handle body = { 0 };
	char full[PATH_MAX];
	struct stat st;
	uint32_t number;

	if (tacho_process.pid != sys_pid() || sys_fstat(fd, &st) < 0)
		return 0;
	body.kind = kind_of(&st);
	body.dev = st.st_dev;
	body.ino = st.st_ino;
	body.peer = body.kind == HANDLE_SOCKET ? peer_of(st.st_ino) : 0;
	body.flags = (uint64_t)(flags < 0 ? sys_fcntl(fd, F_GETFL, 0) : flags);
	path_find(full, fd, path);
	if (path_is_excluded(full)) {
		highest_raise((unsigned)fd);
		atomic_store(&tacho_handles[fd], HANDLE_EXCLUDED << HANDLE_KIND_SHIFT);
		return HANDLE_EXCLUDED << HANDLE_KIND_SHIFT;
	}
	number = process_define_handle(&body, full);
	/* the program has all its descriptors open: without one it cannot be named, nor soon */
	if (!number && errno != EMFILE)
		return 0;
	if (number > HANDLE_NUMBER)
		return 0;
	highest_raise((unsigned)fd);
	number |= body.kind << HANDLE_KIND_SHIFT;
	atomic_store(&tacho_handles[fd], number);
	return number;
}

uint32_t handle_define(int fd, int flags, const char *path)
{
	int saved = errno;
	uint32_t entry = (unsigned)fd < HANDLE_FDS ? define(fd, flags, path) : 0;

	errno = saved;
	return entry;
}

/*
 * Between vfork and exec this clears the parent's entries, too: they are made again when next used.
 */
void handle_clear(unsigned first, unsigned last)
{
	unsigned highest = atomic_load(&fd_highest);

	for (unsigned fd = first; fd <= last && fd <= highest; fd++)
		atomic_store_explicit(&tacho_handles[fd], 0, memory_order_relaxed);
}

void handle_forked(void)
{
	for (unsigned fd = 0; fd <= fd_highest; fd++)
		tacho_handles[fd] = 0;
	fd_highest = 0;
}
