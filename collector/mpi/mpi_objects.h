/*
 * mpi_objects.h - windows, files and matched messages of MPI: their numbers,
 * their definitions, and the records of calls on them.
 */
#ifndef COLLECTOR_MPI_OBJECTS_H
#define COLLECTOR_MPI_OBJECTS_H

#include "mpi/mpi_call.h"

extern struct map tacho_windows HIDDEN, tacho_files HIDDEN;

/* Number of a window's DEF_WINDOW, 0 = unknown. */
static inline uint32_t window_number(mpi_handle win)
{
	return (uint32_t)map_get(&tacho_windows, handle_key(win));
}

/* Defines the window that a call on `comm` just stored at `win`, if communicators are tracked. */
void window_define(const void *win, mpi_handle comm) HIDDEN;

/*
 * The communicator of a message that MPI_Mprobe or MPI_Improbe matched and that is about to be
 * received; one without a number where it is not known.
 */
const struct mpi_comm *message_take(const void *message) HIDDEN;

/* A call on a file. */
struct file_call {
	struct span span;
	uint32_t file;	/* number of its DEF_HANDLE */
	int64_t offset; /* bytes from the start of the file, -1: the file pointer's */
};

/* MPI_File is a pointer in every family: no mask. */
static inline __attribute__((always_inline)) struct file_call file_enter(unsigned region,
	mpi_handle fh)
{
	struct file_call call = { .offset = -1 };

	call.file = likely(thread_self(region)) ? (uint32_t)map_get(&tacho_files, fh) : 0;
	call.span = span_enter(region, call.file);
	return call;
}

static inline void *file_status_for(const struct file_call *call, void *status,
	struct status_room *own)
{
	*own = (struct status_room){ 0 };
	return (uintptr_t)status == tacho_abi.status_ignore && span_is_on(&call->span) ? own
										       : status;
}

/* Ends a call that moved `bytes`. */
static inline void file_leave(struct file_call *call, int ret, uint64_t bytes)
{
	uint64_t result = ret == 0 ? bytes : (uint64_t)-1;

	if (call->offset < 0)
		span_leave(&call->span, SPOOL_IO_PLAIN, call->file, &result, 1);
	else
		span_leave(&call->span, SPOOL_IO_LONG, call->file,
			(uint64_t[]){ result, (uint64_t)call->offset }, 2);
}

/* Ends a call that asked for `bytes` to be moved until `request` completes. */
static inline void file_leave_post(struct file_call *call, uint64_t bytes, uint32_t request)
{
	span_leave(&call->span, SPOOL_IO_LONG, call->file,
		(uint64_t[]){ bytes, (uint64_t)call->offset, request }, 3);
}

/*
 * Byte offset in the file of an explicit offset, which counts elementary
 * types of the file's view; -1 when the call is not recorded.
 */
int64_t file_offset(const struct file_call *call, mpi_handle fh, int64_t offset) HIDDEN;

#endif
