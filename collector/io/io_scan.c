/*
 * io_scan.c - wrappers of the scanf family. Their results count conversions, so the bytes are
 * computed from the stream's buffer before and after.
 */
#undef _FORTIFY_SOURCE
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "io/io.h"

struct taken {
	const char *at, *end;
};

static struct taken buffer_look(const FILE *fp)
{
	return (struct taken){ fp->_IO_read_ptr, fp->_IO_read_end };
}

/* A call consumes the rest of the buffer, and part of the next one if it was filled again. */
static int64_t buffer_taken(const FILE *fp, struct taken before)
{
	if (fp->_IO_read_end == before.end && fp->_IO_read_ptr >= before.at)
		return fp->_IO_read_ptr - before.at;
	return before.end - before.at + (fp->_IO_read_ptr - fp->_IO_read_base);
}

static inline __attribute__((always_inline)) struct span scan_begin(unsigned region, FILE *fp,
	uint32_t *handle, struct taken *before)
{
	int saved = errno, fd = fileno_unlocked(fp);

	errno = saved;
	*before = buffer_look(fp);
	return io_enter(region, fd, handle);
}

static void scan_end(struct span *span, FILE *fp, uint32_t handle, struct taken before, int ret)
{
	if (span_is_on(span))
		io_leave(span, handle, ret < 0 && feof_unlocked(fp) ? 0 : buffer_taken(fp, before),
			-1);
}

typedef int scan_list(FILE *fp, const char *format, va_list list);

/* By the linker's name: headers let scanf be another one of these. */
#define SCAN_BODY(name, fp, with)                                                                  \
	uint32_t handle;                                                                           \
	struct taken before;                                                                       \
	struct span span = scan_begin(REGION_##name, fp, &handle, &before);                        \
	int ret = ((scan_list *)real_find(REGION_##with))(fp, format, list);                       \
                                                                                                   \
	scan_end(&span, fp, handle, before, ret);

#define SCAN_LIST(name, params, fp, with)                                                          \
	int wrap_##name params TACHO_WRAPPED(name);                                                \
	int wrap_##name params                                                                     \
	{                                                                                          \
		SCAN_BODY(name, fp, with)                                                          \
		return ret;                                                                        \
	}

#define SCAN_ARGUMENTS(name, params, fp, with)                                                     \
	int wrap_##name params TACHO_WRAPPED(name);                                                \
	int wrap_##name params                                                                     \
	{                                                                                          \
		va_list list;                                                                      \
                                                                                                   \
		va_start(list, format);                                                            \
		SCAN_BODY(name, fp, with)                                                          \
		va_end(list);                                                                      \
		return ret;                                                                        \
	}

#define SCANS(standard)                                                                            \
	SCAN_ARGUMENTS(standard##fscanf, (FILE * fp, const char *format, ...), fp,                 \
		standard##vfscanf)                                                                 \
	SCAN_ARGUMENTS(standard##scanf, (const char *format, ...), stdin, standard##vfscanf)       \
	SCAN_LIST(standard##vfscanf, (FILE * fp, const char *format, va_list list), fp,            \
		standard##vfscanf)                                                                 \
	SCAN_LIST(standard##vscanf, (const char *format, va_list list), stdin, standard##vfscanf)

SCANS()
SCANS(__isoc99_)
SCANS(__isoc23_)
