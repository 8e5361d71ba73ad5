/* io_stdio.c - wrappers of ISO C stream calls that do not follow a pattern. */
#undef _FORTIFY_SOURCE
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

#include "io/io.h"

int __fprintf_chk(FILE *fp, int flag, const char *format, ...);
int __vfprintf_chk(FILE *fp, int flag, const char *format, va_list list);

/* Flags of fopen's `mode`; -1 if unknown: the caller asks the descriptor. */
static int flags_of(const char *mode)
{
	int flags = *mode == 'r' ? O_RDONLY
		: *mode == 'w'	 ? O_WRONLY | O_CREAT | O_TRUNC
		: *mode == 'a'	 ? O_WRONLY | O_CREAT | O_APPEND
				 : -1;

	for (const char *c = mode; flags >= 0 && *c && *c != ','; c++)
		flags = *c == '+'   ? (flags & ~O_ACCMODE) | O_RDWR
			: *c == 'x' ? flags | O_EXCL
			: *c == 'e' ? flags | O_CLOEXEC
				    : flags;
	return flags;
}

static FILE *stream_opened(struct span *span, FILE *fp, int flags, const char *path)
{
	uint32_t entry = 0;

	if (!span_is_on(span))
		return fp;
	if (fp)
		entry = handle_define(fileno_unlocked(fp), flags, path);
	io_leave(span, entry & HANDLE_NUMBER, fp ? 0 : -1, -1);
	return fp;
}

#define STREAM_OPEN(name, params, args, flags, path)                                               \
	TACHO_WRAP(name)                                                                           \
	FILE *name params                                                                          \
	{                                                                                          \
		struct span span = io_enter_path(REGION_##name, path);                             \
                                                                                                   \
		return stream_opened(&span, REAL(name) args, flags, path);                         \
	}

STREAM_OPEN(fopen, (const char *path, const char *mode), (path, mode), flags_of(mode), path)
STREAM_OPEN(fopen64, (const char *path, const char *mode), (path, mode), flags_of(mode), path)
STREAM_OPEN(tmpfile, (void), (), -1, NULL)
STREAM_OPEN(tmpfile64, (void), (), -1, NULL)
STREAM_OPEN(fdopen, (int fd, const char *mode), (fd, mode), -1, NULL)

static void stream_closes(FILE *fp)
{
	int saved = errno;

	if (fp)
		handle_forget(fileno_unlocked(fp));
	errno = saved;
}

#define STREAM_REOPEN(name)                                                                        \
	TACHO_WRAP(name)                                                                           \
	FILE *name(const char *path, const char *mode, FILE *fp)                                   \
	{                                                                                          \
		struct span span = span_enter(REGION_##name, 0);                                   \
                                                                                                   \
		stream_closes(fp);                                                                 \
		return stream_opened(&span, REAL(name)(path, mode, fp), flags_of(mode), path);     \
	}

STREAM_REOPEN(freopen)
STREAM_REOPEN(freopen64)

/* Begins a call on a stream; NULL represents all streams. */
static inline __attribute__((always_inline)) struct span stream_enter(unsigned region, FILE *fp,
	uint32_t *handle)
{
	int saved = errno, fd = fp ? fileno_unlocked(fp) : -1;

	errno = saved;
	return io_enter(region, fd, handle);
}

#define STREAM_CLOSE(name)                                                                         \
	TACHO_WRAP(name)                                                                           \
	int name(FILE *fp)                                                                         \
	{                                                                                          \
		uint32_t handle;                                                                   \
		struct span span = stream_enter(REGION_##name, fp, &handle);                       \
		int ret;                                                                           \
                                                                                                   \
		stream_closes(fp);                                                                 \
		ret = REAL(name)(fp);                                                              \
		io_leave(&span, handle, ret, -1);                                                  \
		return ret;                                                                        \
	}

STREAM_CLOSE(fclose)
STREAM_CLOSE(pclose)

#define STREAM_FLUSH(name)                                                                         \
	TACHO_WRAP(name)                                                                           \
	int name(FILE *fp)                                                                         \
	{                                                                                          \
		uint32_t handle;                                                                   \
		struct span span = stream_enter(REGION_##name, fp, &handle);                       \
		int ret = REAL(name)(fp);                                                          \
                                                                                                   \
		io_leave(&span, handle, ret, -1);                                                  \
		return ret;                                                                        \
	}

STREAM_FLUSH(fflush)
STREAM_FLUSH(fflush_unlocked)

TACHO_WRAP(rewind)
void rewind(FILE *fp)
{
	uint32_t handle;
	struct span span = stream_enter(REGION_rewind, fp, &handle);

	REAL(rewind)(fp);
	io_leave(&span, handle, 0, -1);
}
