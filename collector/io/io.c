/*
 * io.c - wrappers of the I/O calls that follow a pattern: one body per shape
 * of tacho/io_calls.def.
 */
#undef _FORTIFY_SOURCE /* its inline functions would be in the way */
#include "config.h"

#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

#include "core/fold.h"
#include "io/io.h"

#undef fread_unlocked /* macros of the same name */
#undef fwrite_unlocked
#undef getdelim

/* Names that headers declare only to fortified or old programs. */
#define IO_MOVE(name, type, params, args, fd, offset)  type name params;
#define IO_BYTES(name, type, params, args, fd, bytes)  type name params;
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
#undef IO_BYTES
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

/* Whether the descriptor's handle is of a kind that others make ready to read. */
static bool is_made_ready(int fd, uint32_t handle)
{
	uint32_t entry = handle_entry(fd), kind = entry >> HANDLE_KIND_SHIFT;

	return (entry & HANDLE_NUMBER) == handle &&
		(kind == HANDLE_SOCKET || kind == HANDLE_PIPE || kind == HANDLE_EVENT);
}

void io_leave_failed(struct span *span, int fd, uint32_t handle, int64_t offset)
{
	uint64_t result = UINT64_MAX;

	if (!span_is_on(span))
		return;
	if (errno == EAGAIN && handle && offset < 0 && is_made_ready(fd, handle))
		span_leave_fold(span, 0, handle, SPOOL_IO_PLAIN, handle, &result, 1);
	else
		io_leave(span, handle, -1, offset);
}

/*
 * A thread that does not record leaves by a jump: a second return after a
 * system call costs ten times the rest, as the processor then mispredicts it.
 */
#define IO_MOVE(name, type, params, args, fd, offset)                                              \
	TACHO_WRAP(name)                                                                           \
	type name params                                                                           \
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
		io_leave_fd(&span, fd, handle, ret, offset);                                       \
		return ret;                                                                        \
	}

#define IO_COPY(name, type, params, args, in, out)                                                 \
	TACHO_WRAP(name)                                                                           \
	type name params                                                                           \
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

/* Position of a stream that has just been moved; -1 without a descriptor, as it is not followed. */
#define STREAM_POSITION (ret < 0 || !handle ? -1 : ftello(fp))

#define IO_STREAM(name, type, params, args, fp, bytes)                                             \
	TACHO_WRAP(name)                                                                           \
	type name params                                                                           \
	{                                                                                          \
		uint32_t handle;                                                                   \
		struct span span = io_enter(REGION_##name, stream_fd(fp), &handle);                \
		type ret = REAL(name) args;                                                        \
                                                                                                   \
		if (span_is_on(&span))                                                             \
			io_leave(&span, handle, (int64_t)(bytes), -1);                             \
		return ret;                                                                        \
	}

/* Bytes of the messages that were sent or received; `n`: how many, -1. */
static int64_t messages_bytes(const struct mmsghdr *messages, int n)
{
	int64_t bytes = n < 0 ? -1 : 0;

	for (int i = 0; i < n; i++)
		bytes += messages[i].msg_len;
	return bytes;
}

/* Bytes of a wide text as the stream encodes it; NULL: none. */
static int64_t wide_bytes(const wchar_t *text)
{
	mbstate_t state = { 0 };
	size_t n = text ? wcsrtombs(NULL, &text, 0, &state) : 0;

	return n == (size_t)-1 ? 0 : (int64_t)n;
}

#define IO_BYTES(name, type, params, args, fd, bytes)                                              \
	TACHO_WRAP(name)                                                                           \
	type name params                                                                           \
	{                                                                                          \
		uint32_t handle;                                                                   \
		struct span span = io_enter(REGION_##name, fd, &handle);                           \
		type ret = REAL(name) args;                                                        \
                                                                                                   \
		if (span_is_on(&span))                                                             \
			io_leave_fd(&span, fd, handle, bytes, -1);                                 \
		return ret;                                                                        \
	}

#define IO_FD(name, type, params, args, fd) IO_MOVE(name, type, params, args, fd, -1)

#define IO_PATH(name, type, params, args)                                                          \
	TACHO_WRAP(name)                                                                           \
	type name params                                                                           \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct span span;                                                                  \
		type ret;                                                                          \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return REAL(name) args;                                                    \
		span = span_begin(self, REGION_##name, 0);                                         \
		ret = REAL(name) args;                                                             \
		span_leave_call(&span);                                                            \
		return ret;                                                                        \
	}

#include "tacho/io_calls.def"
