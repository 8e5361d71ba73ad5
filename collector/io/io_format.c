/*
 * io_format.c - wrappers of ISO C calls with a format and any number of arguments. Each calls the
 * real function that takes them as a list.
 */
#undef _FORTIFY_SOURCE
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "io/io.h"

int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *fp, int flag, const char *format, ...);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __wprintf_chk(int flag, const wchar_t *format, ...);
int __fwprintf_chk(FILE *fp, int flag, const wchar_t *format, ...);
int __vfprintf_chk(FILE *fp, int flag, const char *format, va_list list);
int __vdprintf_chk(int fd, int flag, const char *format, va_list list);
int __vfwprintf_chk(FILE *fp, int flag, const wchar_t *format, va_list list);

/* A stream's descriptor, -1 when it has none (and errno stays). */
static int stream_descriptor(FILE *fp)
{
	int saved = errno, fd = fileno_unlocked(fp);

	errno = saved;
	return fd;
}

/*
 * `with`: the function that takes a list; `args`: its arguments before the list. Counts characters.
 */
#define FORMAT(name, params, last, fd, with, ...)                                                  \
	TACHO_WRAP(name)                                                                           \
	int name params                                                                            \
	{                                                                                          \
		uint32_t handle;                                                                   \
		struct span span = io_enter(REGION_##name, fd, &handle);                           \
		va_list list;                                                                      \
		int ret;                                                                           \
                                                                                                   \
		va_start(list, last);                                                              \
		ret = REAL(with)(__VA_ARGS__, list);                                               \
		va_end(list);                                                                      \
		io_leave(&span, handle, ret, -1);                                                  \
		return ret;                                                                        \
	}

#define FORMAT_STREAM(name, params, fp, with, ...)                                                 \
	FORMAT(name, params, format, stream_descriptor(fp), with, fp, ##__VA_ARGS__, format)

FORMAT_STREAM(printf, (const char *format, ...), stdout, vfprintf)
FORMAT_STREAM(__printf_chk, (int flag, const char *format, ...), stdout, __vfprintf_chk, flag)
FORMAT_STREAM(fprintf, (FILE * fp, const char *format, ...), fp, vfprintf)
FORMAT_STREAM(__fprintf_chk, (FILE * fp, int flag, const char *format, ...), fp, __vfprintf_chk,
	flag)
FORMAT_STREAM(wprintf, (const wchar_t *format, ...), stdout, vfwprintf)
FORMAT_STREAM(__wprintf_chk, (int flag, const wchar_t *format, ...), stdout, __vfwprintf_chk, flag)
FORMAT_STREAM(fwprintf, (FILE * fp, const wchar_t *format, ...), fp, vfwprintf)
FORMAT_STREAM(__fwprintf_chk, (FILE * fp, int flag, const wchar_t *format, ...), fp,
	__vfwprintf_chk, flag)
FORMAT(dprintf, (int fd, const char *format, ...), format, fd, vdprintf, fd, format)
FORMAT(__dprintf_chk, (int fd, int flag, const char *format, ...), format, fd, __vdprintf_chk, fd,
	flag, format)
