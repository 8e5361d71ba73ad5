/* io.h - the shared part of all wrappers of I/O calls. */
#ifndef COLLECTOR_IO_H
#define COLLECTOR_IO_H

#include "core/brief.h"
#include "core/capture.h"
#include "core/handle.h"
#include "core/real.h"
#include "core/span.h"

/* PyTorch's calls send themselves, and never poll. */
static inline bool io_in_torch(const struct thread *self)
{
	uint64_t depth = self->cursor >> 48;

	return depth <= SPOOL_MAX_DEPTH &&
		atomic_load_explicit(&self->head->inside[depth - 1].region, memory_order_relaxed) >=
		REGION_TORCH_FIRST_;
}

/*
 * Whether a call is left out: its file's path is excluded, or it is nested in another call. MPI
 * libraries poll sockets and event descriptors thousands of times while they wait, and that is part
 * of the MPI call. File I/O inside MPI-IO is kept, and PyTorch's sends.
 */
static inline __attribute__((always_inline)) bool io_left_out(struct thread *self, uint32_t entry)
{
	uint32_t kind = entry >> HANDLE_KIND_SHIFT;

	if (unlikely(kind == HANDLE_EXCLUDED))
		return true;
	return span_is_inside(self, span_frame()) && kind != HANDLE_FILE && kind != HANDLE_DIR &&
		kind != HANDLE_DEVICE && !(kind == HANDLE_SOCKET && io_in_torch(self));
}

/* The handle number of a further descriptor of a call that is about to begin, 0: left out. */
static inline __attribute__((always_inline)) uint32_t io_handle(struct thread *self, int fd)
{
	uint32_t entry = handle_entry(fd);

	return io_left_out(self, entry) ? 0 : entry & HANDLE_NUMBER;
}

/*
 * Begins a call of a thread that records on descriptor `fd`; the number of its handle goes to
 * `handle`. Always inlined: if a pointer to the result escaped, the jump of a wrapper that does not
 * record would become a call.
 */
static inline __attribute__((always_inline)) struct span io_begin(struct thread *self,
	unsigned region, int fd, uint32_t *handle)
{
	uint32_t entry = handle_entry(fd);

	*handle = 0;
	if (unlikely(io_left_out(self, entry)))
		return (struct span){ 0 };
	*handle = entry & HANDLE_NUMBER;
	return span_begin_asked(self, region, *handle);
}

/* The same for any thread; nothing when it does not record. */
static inline __attribute__((always_inline)) struct span io_enter(unsigned region, int fd,
	uint32_t *handle)
{
	struct thread *self = thread_self(region);

	*handle = 0;
	return likely(self) ? io_begin(self, region, fd, handle) : (struct span){ 0 };
}

/* Begins a call that opens `path` (NULL: not known). */
static inline __attribute__((always_inline)) struct span io_enter_path(unsigned region,
	const char *path)
{
	return path_is_excluded(path) ? (struct span){ 0 } : span_enter(region, 0);
}

/* Ends it: `result` bytes (-1: failed) at `offset` (-1: the file position's). */
static inline void io_leave(struct span *span, uint32_t handle, int64_t result, int64_t offset)
{
	if (offset < 0)
		span_leave_io(span, handle, result);
	else if (likely((uint64_t)result < 1u << 24 && (uint64_t)offset < (uint64_t)1 << 40))
		span_leave(span, SPOOL_IO, handle,
			(uint64_t[]){ (uint64_t)result | (uint64_t)offset << 24 }, 1);
	else
		span_leave(span, SPOOL_IO_LONG, handle,
			(uint64_t[]){ (uint64_t)result, (uint64_t)offset }, 2);
}

/* Out of line, since it is rare or all there is to do: ends one on `fd` that failed. Keeps errno. */
void io_leave_failed(struct span *span, int fd, uint32_t handle, int64_t offset) HIDDEN;

/* The same of any call on `fd`: tries that find it not ready may be very many. */
static inline void io_leave_fd(struct span *span, int fd, uint32_t handle, int64_t result,
	int64_t offset)
{
	if (unlikely(result < 0))
		io_leave_failed(span, fd, handle, offset);
	else
		io_leave(span, handle, result, offset);
}

#endif
