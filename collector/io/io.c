/*
 * io.c - wrappers of the I/O calls that follow a pattern: one body per shape
 * of tacho/io_calls.def.
 */
#undef _FORTIFY_SOURCE /* its inline functions would stand in the way */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/io.h"

#undef fread_unlocked /* macros of the same name */
#undef fwrite_unlocked

/* Names that headers declare only to fortified or old programs. */
#define IO_MOVE(name, type, params, args, fd, offset)  type name params;
#define IO_COPY(name, type, params, args, in, out)     type name params;
#define IO_STREAM(name, type, params, args, fp, bytes) type name params;
#define IO_FD(name, type, params, args, fd)	       type name params;
#define IO_PATH(name, type, params, args)	       type name params;
#define IO_OWN(name, ...)
#define CALL(name, role, shape, ...) IO_##shape(name, __VA_ARGS__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
#include "tacho/io_calls.def"
#pragma GCC diagnostic pop
#undef IO_MOVE
#undef IO_COPY
#undef IO_STREAM
#undef IO_FD
#undef IO_PATH

/* A stream's descriptor, -1 when it has none (and errno stays). */
static inline int stream_fd(FILE *fp)
{
	int saved = errno, fd = fileno_unlocked(fp);

	if (fd < 0)
		errno = saved;
	return fd;
}

/*
 * A thread that does not record leaves by a jump: a second return behind a
 * system call costs ten times the rest, as the processor then mispredicts it.
 */
#define IO_MOVE(name, type, params, args, fd, offset)                                              \
	TACHO_EXPORT type name params                                                              \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct span span;                                                                  \
		uint32_t handle;                                                                   \
		type ret;                                                                          \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return REAL(name) args;                                                    \
		span = io_begin(self, REGION_##name, fd, &handle);                                 \
		ret = REAL(name) args;                                                             \
		io_leave(&span, handle, ret, offset);                                              \
		return ret;                                                                        \
	}

#define IO_COPY(name, type, params, args, in, out)                                                 \
	TACHO_EXPORT type name params                                                              \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		uint32_t handle, target;                                                           \
		struct span span;                                                                  \
		type ret;                                                                          \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return REAL(name) args;                                                    \
		target = io_handle(self, out);                                                     \
		span = io_begin(self, REGION_##name, in, &handle);                                 \
		ret = REAL(name) args;                                                             \
		span_leave(&span, SPOOL_IO_PLAIN, handle,                                          \
			(uint64_t[]){ (uint64_t)(int64_t)ret, target }, 2);                        \
		return ret;                                                                        \
	}

/* Where a stream stands that has just been moved; one without a descriptor is not followed. */
#define STREAM_POSITION (ret < 0 || !handle ? -1 : ftello(fp))

#define IO_STREAM(name, type, params, args, fp, bytes)                                             \
	TACHO_EXPORT type name params                                                              \
	{                                                                                          \
		uint32_t handle;                                                                   \
		struct span span = io_enter(REGION_##name, stream_fd(fp), &handle);                \
		type ret = REAL(name) args;                                                        \
                                                                                                   \
		if (span_is_on(&span))                                                             \
			io_leave(&span, handle, (int64_t)(bytes), -1);                             \
		return ret;                                                                        \
	}

#define IO_FD(name, type, params, args, fd) IO_MOVE(name, type, params, args, fd, -1)

#define IO_PATH(name, type, params, args)                                                          \
	TACHO_EXPORT type name params                                                              \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct span span;                                                                  \
		type ret;                                                                          \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return REAL(name) args;                                                    \
		span = span_begin(self, REGION_##name, 0);                                         \
		ret = REAL(name) args;                                                             \
		span_leave(&span, SPOOL_CALL, 0, NULL, 0);                                         \
		return ret;                                                                        \
	}

#include "tacho/io_calls.def"
