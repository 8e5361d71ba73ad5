/*
 * io_open.c - wrappers of the calls by which descriptors come and go, and of
 * mapping files. An opened file is defined at once, so its path is known even
 * when it is renamed later.
 */
#undef _FORTIFY_SOURCE
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/io.h"
#include "core/sys.h"

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

/* Ends an opening call and defines the handle of `fd`. `path` NULL: read it from /proc. */
static int opened(struct span *span, int fd, int flags, const char *path)
{
	uint32_t entry = 0;

	if (!span_is_on(span))
		return fd;
	if (fd >= 0)
		entry = handle_define(fd, flags, path);
	io_leave(span, entry & HANDLE_NUMBER, fd < 0 ? -1 : 0, -1);
	return fd;
}

/* The path of an openat as far as it names the file without the folder's descriptor. */
static const char *from(int dir, const char *path)
{
	return dir == AT_FDCWD || (path && *path == '/') ? path : NULL;
}

/* The mode is passed only with these flags; reading it otherwise is harmless but undefined. */
#define MODE(flags)                                                                                \
	({                                                                                         \
		mode_t mode = 0;                                                                   \
                                                                                                   \
		if ((flags) & (O_CREAT | __O_TMPFILE)) {                                           \
			va_list list;                                                              \
                                                                                                   \
			va_start(list, flags);                                                     \
			mode = va_arg(list, mode_t);                                               \
			va_end(list);                                                              \
		}                                                                                  \
		mode;                                                                              \
	})

#define OPEN(name)                                                                                 \
	TACHO_WRAP(name)                                                                           \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		struct span span = io_enter_path(REGION_##name, path);                             \
                                                                                                   \
		return opened(&span, REAL(name)(path, flags, MODE(flags)), flags, path);           \
	}

#define OPENAT(name)                                                                               \
	TACHO_WRAP(name)                                                                           \
	int name(int dir, const char *path, int flags, ...)                                        \
	{                                                                                          \
		struct span span = io_enter_path(REGION_##name, from(dir, path));                  \
                                                                                                   \
		return opened(&span, REAL(name)(dir, path, flags, MODE(flags)), flags,             \
			from(dir, path));                                                          \
	}

#define OPEN_FIXED(name, params, args, flags, path)                                                \
	TACHO_WRAP(name)                                                                           \
	int name params                                                                            \
	{                                                                                          \
		struct span span = io_enter_path(REGION_##name, path);                             \
                                                                                                   \
		return opened(&span, REAL(name) args, flags, path);                                \
	}

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
OPEN_FIXED(__open_2, (const char *path, int flags), (path, flags), flags, path)
OPEN_FIXED(__open64_2, (const char *path, int flags), (path, flags), flags, path)
OPEN_FIXED(__openat_2, (int dir, const char *path, int flags), (dir, path, flags), flags,
	from(dir, path))
OPEN_FIXED(__openat64_2, (int dir, const char *path, int flags), (dir, path, flags), flags,
	from(dir, path))
OPEN_FIXED(creat, (const char *path, mode_t mode), (path, mode), O_CREAT | O_WRONLY | O_TRUNC, path)
OPEN_FIXED(creat64, (const char *path, mode_t mode), (path, mode), O_CREAT | O_WRONLY | O_TRUNC,
	path)

#define TEMPORARY (O_RDWR | O_CREAT | O_EXCL)

OPEN_FIXED(mkstemp, (char *template), (template), TEMPORARY, template)
OPEN_FIXED(mkstemp64, (char *template), (template), TEMPORARY, template)
OPEN_FIXED(mkstemps, (char *template, int n), (template, n), TEMPORARY, template)
OPEN_FIXED(mkstemps64, (char *template, int n), (template, n), TEMPORARY, template)
OPEN_FIXED(mkostemp, (char *template, int flags), (template, flags), TEMPORARY | flags, template)
OPEN_FIXED(mkostemp64, (char *template, int flags), (template, flags), TEMPORARY | flags, template)
OPEN_FIXED(mkostemps, (char *template, int n, int flags), (template, n, flags), TEMPORARY | flags,
	template)
OPEN_FIXED(mkostemps64, (char *template, int n, int flags), (template, n, flags), TEMPORARY | flags,
	template)
OPEN_FIXED(open_by_handle_at, (int mount, struct file_handle *handle, int flags),
	(mount, handle, flags), flags, NULL)

/* The entry is cleared before the call: after it the number may be another thread's new file. */
TACHO_WRAP(close)
int close(int fd)
{
	uint32_t handle;
	struct span span = io_enter(REGION_close, fd, &handle);
	int ret;

	handle_forget(fd);
	ret = REAL(close)(fd);
	io_leave(&span, handle, ret, -1);
	return ret;
}

TACHO_WRAP(close_range)
int close_range(unsigned first, unsigned last, int flags)
{
	struct span span = span_enter(REGION_close_range, 0);
	int ret;

	if (!(flags & CLOSE_RANGE_CLOEXEC))
		handle_clear(first, last);
	ret = REAL(close_range)(first, last, flags);
	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	return ret;
}

TACHO_WRAP(closefrom)
void closefrom(int first)
{
	struct span span = span_enter(REGION_closefrom, 0);

	handle_clear(first < 0 ? 0 : (unsigned)first, UINT32_MAX);
	REAL(closefrom)(first);
	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
}

TACHO_WRAP(dup)
int dup(int fd)
{
	struct span span = span_enter(REGION_dup, 0);

	return opened(&span, REAL(dup)(fd), -1, NULL);
}

TACHO_WRAP(dup2)
int dup2(int from, int to)
{
	struct span span = span_enter(REGION_dup2, 0);

	if (from != to)
		handle_forget(to);
	return opened(&span, REAL(dup2)(from, to), -1, NULL);
}

TACHO_WRAP(dup3)
int dup3(int from, int to, int flags)
{
	struct span span = span_enter(REGION_dup3, 0);

	handle_forget(to);
	return opened(&span, REAL(dup3)(from, to, flags), -1, NULL);
}

TACHO_WRAP(socketpair)
int socketpair(int domain, int type, int protocol, int ends[2])
{
	struct span span = span_enter(REGION_socketpair, 0);
	int ret = REAL(socketpair)(domain, type, protocol, ends);

	if (ret == 0)
		handle_pair(ends);
	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	return ret;
}

/* Only duplication is worth a record; the argument is passed on whatever it is. */
#define FCNTL(name)                                                                                \
	TACHO_WRAP(name)                                                                           \
	int name(int fd, int cmd, ...)                                                             \
	{                                                                                          \
		va_list list;                                                                      \
		void *arg;                                                                         \
                                                                                                   \
		va_start(list, cmd);                                                               \
		arg = va_arg(list, void *);                                                        \
		va_end(list);                                                                      \
		if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC) {                                    \
			struct span span = span_enter(REGION_##name, 0);                           \
                                                                                                   \
			return opened(&span, REAL(name)(fd, cmd, arg), -1, NULL);                  \
		}                                                                                  \
		return REAL(name)(fd, cmd, arg);                                                   \
	}

FCNTL(fcntl)
FCNTL(fcntl64)

/* its own function: closedir(NULL) is an error that must not become a crash here. */
static int directory_fd(DIR *dir)
{
	return dir ? dirfd(dir) : -1;
}

static DIR *directory_opened(struct span *span, DIR *dir, const char *path)
{
	opened(span, directory_fd(dir), O_RDONLY | O_DIRECTORY, path);
	return dir;
}

TACHO_WRAP(opendir)
DIR *opendir(const char *path)
{
	struct span span = span_enter(REGION_opendir, 0);

	return directory_opened(&span, REAL(opendir)(path), path);
}

TACHO_WRAP(fdopendir)
DIR *fdopendir(int fd)
{
	struct span span = span_enter(REGION_fdopendir, 0);

	return directory_opened(&span, REAL(fdopendir)(fd), NULL);
}

TACHO_WRAP(closedir)
int closedir(DIR *dir)
{
	uint32_t handle;
	int fd = directory_fd(dir), ret;
	struct span span = io_enter(REGION_closedir, fd, &handle);

	handle_forget(fd);
	ret = REAL(closedir)(dir);
	io_leave(&span, handle, ret, -1);
	return ret;
}

/* By system call, not by lookup: memory allocators map while the loader holds its locks. */
static void *map(unsigned region, void *addr, size_t n, int prot, int flags, int fd, off64_t off)
{
	uint32_t handle = 0;
	struct span span = { 0 };
	void *ret;

	if (fd >= 0 && !(flags & MAP_ANONYMOUS))
		span = io_enter(region, fd, &handle);
	ret = (void *)syscall(SYS_mmap, addr, n, prot, flags, fd, off);
	io_leave(&span, handle, ret == MAP_FAILED ? -1 : (int64_t)n, off);
	return ret;
}

TACHO_WRAP(mmap)
void *mmap(void *addr, size_t n, int prot, int flags, int fd, off_t off)
{
	return map(REGION_mmap, addr, n, prot, flags, fd, off);
}

TACHO_WRAP(mmap64)
void *mmap64(void *addr, size_t n, int prot, int flags, int fd, off64_t off)
{
	return map(REGION_mmap64, addr, n, prot, flags, fd, off);
}

TACHO_WRAP(sync)
void sync(void)
{
	struct span span = span_enter(REGION_sync, 0);

	REAL(sync)();
	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
}
