/*
 * io_aio.c - what asynchronous calls have moved, which aio_return() reports once. Threads of libc
 * move the bytes; they pass no wrapper.
 */
#include "config.h"

#include <aio.h>

#include "io/io.h"

/* A call that reads names its descriptor; one that writes, a second one as copies have it. */
static void moved(struct span *span, uint32_t handle, int opcode, int64_t bytes, int64_t offset)
{
	if ((opcode & 127) == LIO_WRITE)
		span_leave(span, SPOOL_IO_PLAIN, 0, (uint64_t[]){ (uint64_t)bytes, handle }, 2);
	else if ((opcode & 127) == LIO_READ)
		io_leave(span, handle, bytes, offset);
	else
		span_leave(span, SPOOL_IO_PLAIN, 0, (uint64_t[]){ 0 }, 1);
}

#define AIO_RETURN(name, block)                                                                    \
	TACHO_WRAP(name)                                                                           \
	ssize_t name(struct block *cb)                                                             \
	{                                                                                          \
		int opcode = cb->aio_lio_opcode;                                                   \
		int64_t offset = cb->aio_offset;                                                   \
		uint32_t handle;                                                                   \
		struct span span = io_enter(REGION_##name, cb->aio_fildes, &handle);               \
		ssize_t ret = REAL(name)(cb);                                                      \
                                                                                                   \
		moved(&span, handle, opcode, ret, offset);                                         \
		return ret;                                                                        \
	}

AIO_RETURN(aio_return, aiocb)
AIO_RETURN(aio_return64, aiocb64)
