/*
 * portable_glibc.c - what glibc 2.17 lacks of what tacho and the libraries in it call, for packaging/portable. Other
 * functions that are too new are reached by their older versions, which that script finds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STAT_VERSION = 1 }; /* of struct stat on x86-64 */

int __xstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags);
__asm__(".symver __xstat, __xstat@GLIBC_2.2.5");
__asm__(".symver __lxstat, __lxstat@GLIBC_2.2.5");
__asm__(".symver __fxstat, __fxstat@GLIBC_2.2.5");
__asm__(".symver __fxstatat, __fxstatat@GLIBC_2.4");

#undef stat
#undef lstat
#undef fstat
#undef fstatat

int stat(const char *path, struct stat *st)
{
	return __xstat(STAT_VERSION, path, st);
}

int lstat(const char *path, struct stat *st)
{
	return __lxstat(STAT_VERSION, path, st);
}

int fstat(int fd, struct stat *st)
{
	return __fxstat(STAT_VERSION, fd, st);
}

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return __fxstatat(STAT_VERSION, dir, path, st, flags);
}

int stat64(const char *path, struct stat64 *st) __attribute__((alias("stat")));
int lstat64(const char *path, struct stat64 *st) __attribute__((alias("lstat")));
int fstat64(int fd, struct stat64 *st) __attribute__((alias("fstat")));
int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
	__attribute__((alias("fstatat")));

int older_fcntl(int fd, int command, ...);
__asm__(".symver older_fcntl, fcntl@GLIBC_2.2.5");

int fcntl64(int fd, int command, ...)
{
	va_list args;
	void *argument;

	va_start(args, command);
	argument = va_arg(args, void *);
	va_end(args);
	return older_fcntl(fd, command, argument);
}

ssize_t getrandom(void *data, size_t size, unsigned flags)
{
	return syscall(SYS_getrandom, data, size, flags);
}

int memfd_create(const char *name, unsigned flags)
{
	return (int)syscall(SYS_memfd_create, name, flags);
}

void *reallocarray(void *array, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(array, bytes);
}

/* Nobody throws here: the C++ runtime is there for the names of kernels. */
int _dl_find_object(void *address, void *object)
{
	(void)address;
	(void)object;
	return -1;
}

/*
 * Programs that are linked with glibc 2.34 or later leave their constructors to it, which older ones expect from the
 * program.
 */
typedef void constructor(int argc, char **argv, char **environment);
extern constructor *__preinit_array_start[], *__preinit_array_end[], *__init_array_start[],
	*__init_array_end[];
int older_start(int (*program)(int, char **, char **), int argc, char **argv,
	int (*begin)(int, char **, char **), void (*end)(void), void (*leave)(void), void *stack);
__asm__(".symver older_start, __libc_start_main@GLIBC_2.2.5");

static int begin_program(int argc, char **argv, char **environment)
{
	for (constructor **each = __preinit_array_start; each < __preinit_array_end; each++)
		(*each)(argc, argv, environment);
	for (constructor **each = __init_array_start; each < __init_array_end; each++)
		(*each)(argc, argv, environment);
	return 0;
}

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv,
	int (*begin)(int, char **, char **), void (*end)(void), void (*leave)(void), void *stack)
{
	return older_start(program, argc, argv, begin ? begin : begin_program, end, leave, stack);
}
