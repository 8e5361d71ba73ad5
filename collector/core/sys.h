/*
 * sys.h - system calls past the PLT. The library's own work must not meet its
 * wrappers, so it opens, writes and maps with these. They set errno like
 * their namesakes; callers keep the program's. Mapping has another reason:
 * UCX and others write jumps over the first bytes of libc's mmap, munmap and
 * madvise while the program starts, and a thread that is in one of them then
 * runs into half an address.
 */
#ifndef COLLECTOR_SYS_H
#define COLLECTOR_SYS_H

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/task.h"

#include "core/entry.h"

#ifdef TACHO_LIBRARY /* not a unit test of one of its files */
/* The one of sandbox.c, not another library's function of this name. */
TACHO_WRAP(syscall)
#endif

/* An entry that SYS_getdents64 returns. */
struct sys_entry {
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

static inline int sys_open(const char *path, int flags, int mode)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

static inline int sys_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}
static inline ssize_t sys_read(int fd, void *p, size_t n)
{
	return syscall(SYS_read, fd, p, n);
}
static inline ssize_t sys_pread(int fd, void *p, size_t n, int64_t offset)
{
	return syscall(SYS_pread64, fd, p, n, (long)offset);
}
static inline ssize_t sys_write(int fd, const void *p, size_t n)
{
	return syscall(SYS_write, fd, p, n);
}
static inline int sys_mkdir(const char *path, int mode)
{
	return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
static inline int sys_fcntl(int fd, int cmd, long arg)
{
	return (int)syscall(SYS_fcntl, fd, cmd, arg);
}

#define OWN_FD_MIN   500  /* our descriptors stay out of the way of the program's */
#define OWN_FD_LIMIT 1024 /* a program with a lower limit shall have all of them */

/* Whether a descriptor may be kept open; where not, files are opened at each use. */
static inline int sys_fd_may_stay(void)
{
	struct rlimit limit;

	return !syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) &&
		limit.rlim_cur >= OWN_FD_LIMIT;
}

/* A descriptor to keep, for the file that `fd` leads to, which is left as it is; -1: none. */
static inline int sys_fd_keep(int fd)
{
	return sys_fd_may_stay() ? sys_fcntl(fd, F_DUPFD_CLOEXEC, OWN_FD_MIN) : -1;
}

static inline int sys_fallocate(int fd, int64_t off, int64_t n)
{
	return (int)syscall(SYS_fallocate, fd, 0, off, n);
}
static inline int sys_ftruncate(int fd, int64_t n)
{
	return (int)syscall(SYS_ftruncate, fd, n);
}

static inline ssize_t sys_readlink(const char *path, char *buf, size_t n)
{
	return syscall(SYS_readlinkat, AT_FDCWD, path, buf, n);
}

static inline int sys_stat(const char *path, struct stat *st)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

static inline int sys_fstat(int fd, struct stat *st)
{
	return (int)syscall(SYS_fstat, fd, st);
}
static inline int sys_madvise(void *p, size_t n, int advice)
{
	return (int)syscall(SYS_madvise, p, n, advice);
}

static inline void *sys_mmap(size_t n, int prot, int flags, int fd, int64_t offset)
{
	return (void *)syscall(SYS_mmap, NULL, n, prot, flags, fd, (long)offset);
}

#ifdef TACHO_LIBRARY
#include "core/map.h"
#else
static inline void *map_make(size_t n, int prot, int flags, int fd, int64_t offset)
{
	return sys_mmap(n, prot, flags, fd, offset);
}
static inline int sys_munmap(void *p, size_t n)
{
	return (int)syscall(SYS_munmap, p, n);
}
#endif

/* n bytes of zeroes that can be written. `flags` besides MAP_ANONYMOUS. MAP_FAILED on error. */
static inline void *sys_map(size_t n, int flags)
{
	return map_make(n, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
}

/* Private zeroed memory in place of `old`, which may be NULL; NULL without memory. */
static inline void *sys_map_anew(void *old, size_t n)
{
	void *map;

	if (old)
		sys_munmap(old, n);
	map = sys_map(n, MAP_PRIVATE | MAP_NORESERVE);
	return map == MAP_FAILED ? NULL : map;
}

/* n bytes of a file, shared with all its mappings. MAP_FAILED on error. */
static inline void *sys_map_file(int fd, int64_t offset, size_t n, int prot)
{
	return map_make(n, prot, MAP_SHARED, fd, offset);
}

/* Pid of the program's process: a task that works for it has another. */
static inline uint32_t sys_pid(void)
{
	return tacho_task.pid ? tacho_task.pid : (uint32_t)syscall(SYS_getpid);
}
/*
 * CPU time of a thread of this process in ns, tid 0: of all, ended ones included. 0: no such
 * thread.
 */
static inline uint64_t sys_ran_ns(uint32_t tid)
{
	/* as pthread_getcpuclockid makes it: of a thread (4), the scheduler's count (2) */
	clockid_t clock = tid	 ? (clockid_t)(~tid << 3 | 4 | 2)
		: tacho_task.pid ? (clockid_t)(~tacho_task.pid << 3 | 2)
				 : CLOCK_PROCESS_CPUTIME_ID;
	struct timespec t;

	if (syscall(SYS_clock_gettime, clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint32_t sys_tid(void)
{
	return tacho_task.tid ? tacho_task.tid : (uint32_t)syscall(SYS_gettid);
}

/* Blocks all signals of the thread; sys_signals_restore undoes it. */
static inline uint64_t sys_signals_block(void)
{
	uint64_t all = ~(uint64_t)0, old = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, sizeof(old));
	return old;
}

static inline void sys_signals_restore(uint64_t old)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(old));
}

/*
 * In a forked child: makes a large table of ours all zero. Whole pages are dropped, as writing each would
 * first copy it.
 */
static inline void sys_zero(void *at, size_t n)
{
	char *begin = (char *)at, *end = begin + n;
	uintptr_t page = getauxval(AT_PAGESZ);
	char *first = (char *)(((uintptr_t)begin + page - 1) & ~(page - 1)),
	     *last = (char *)((uintptr_t)end & ~(page - 1));

	if (first >= last || sys_madvise(first, (size_t)(last - first), MADV_DONTNEED) < 0) {
		memset(begin, 0, n);
		return;
	}
	memset(begin, 0, (size_t)(first - begin));
	memset(last, 0, (size_t)(end - last));
}

#endif
