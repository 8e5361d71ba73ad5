/*
 * mpi_objects.c - functions that make, name and free communicators, windows,
 * files, types and matched messages, where they do not fit a shape of
 * mpi_calls.c. A handle is forgotten before the real function frees it:
 * afterwards another thread may have been given the same one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "mpi/mpi_objects.h"
#include "mpi/mpi_coll.h"
#include "mpi/mpi_request.h"
#include "core/handle.h"
#include "core/define.h"
#include "core/process.h"

struct map tacho_files = MAP_EMPTY, tacho_types = MAP_EMPTY;

/* Messages matched by MPI_Mprobe and not received yet, to their communicator. */
static struct map messages = MAP_EMPTY;

static int missing_answer(void)
{
	return 15; /* MPI_ERR_OTHER of MPICH; some error in any family */
}

void *mpi_missing(unsigned region)
{
	say_once(SAY_MPI, "%s was called but no MPI library is loaded", region_name(region));
	return (void *)missing_answer;
}

uint64_t type_measure(mpi_handle type)
{
	static int (*_Atomic size_of)(mpi_handle, int64_t *);
	int64_t bytes = 0;
	int saved = errno;

	if (!atomic_load(&size_of)) {
		void *found = real_symbol("PMPI_Type_size_x");

		atomic_store(&size_of,
			(int (*)(mpi_handle, int64_t *))(
				found ? found : real_symbol("MPI_Type_size_x")));
	}
	if (atomic_load(&size_of) && atomic_load(&size_of)(type, &bytes) == 0 && bytes >= 0)
		map_set(&tacho_types, type, (uintptr_t)bytes + 1);
	errno = saved;
	return bytes > 0 ? (uint64_t)bytes : 0;
}

WRAPPER(MPI_Type_free, (void *type))
{
	struct span span = span_enter(REGION_MPI_Type_free, 0);
	int ret;

	map_forget(&tacho_types, handle_key(handle_at(type, 0)));
	ret = MPI_REAL(MPI_Type_free)(type);
	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	return ret;
}

/* Communicators */

WRAPPER(MPI_Comm_free, (void *comm))
{
	struct mpi_call call = call_enter(REGION_MPI_Comm_free, handle_at(comm, 0));
	int ret;

	comm_forget(handle_at(comm, 0));
	ret = MPI_REAL(MPI_Comm_free)(comm);
	call_leave(&call);
	return ret;
}

WRAPPER(MPI_Comm_disconnect, (void *comm))
{
	struct mpi_call call = call_enter(REGION_MPI_Comm_disconnect, handle_at(comm, 0));
	int ret;

	comm_forget(handle_at(comm, 0));
	ret = MPI_REAL(MPI_Comm_disconnect)(comm);
	call_leave(&call);
	return ret;
}

WRAPPER(MPI_Comm_idup, (mpi_handle comm, void *newcomm, void *request))
{
	struct mpi_call call = call_enter(REGION_MPI_Comm_idup, comm);
	int ret = MPI_REAL(MPI_Comm_idup)(comm, newcomm, request);
	struct creation creation;

	if (ret != 0 || !comms_are_kept()) {
		call_leave(&call);
		return ret;
	}
	creation = comm_creation(comm);
	request_keep_idup(handle_at(request, 0), newcomm, &creation);
	call_leave_coll(&call, (struct volume){ 0 }, SPOOL_ROOT_NONE,
		request_number(handle_key(handle_at(request, 0))));
	return ret;
}

/* No communicator of ours is the parent. */
static void comm_define_orphan(const void *newcomm, int ret)
{
	if (ret == 0 && comms_are_kept())
		comm_define(handle_at(newcomm, 0), &(struct creation){ 0 });
}

WRAPPER(MPI_Comm_join, (int fd, void *newcomm))
{
	struct span span = span_enter(REGION_MPI_Comm_join, 0);
	int ret = MPI_REAL(MPI_Comm_join)(fd, newcomm);

	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	comm_define_orphan(newcomm, ret);
	return ret;
}

WRAPPER(MPI_Comm_get_parent, (void *parent))
{
	struct span span = span_enter(REGION_MPI_Comm_get_parent, 0);
	int ret = MPI_REAL(MPI_Comm_get_parent)(parent);

	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	return ret; /* defined when it is first used */
}

WRAPPER(MPI_Comm_set_name, (mpi_handle comm, const char *name))
{
	struct mpi_call call = call_enter(REGION_MPI_Comm_set_name, comm);
	int ret = MPI_REAL(MPI_Comm_set_name)(comm, name);

	call_leave(&call);
	if (ret == 0 && comms_are_kept())
		comm_name(comm, name);
	return ret;
}

/* Matched probe: the message leaves the queue here and is received by handle (mpi_shapes.h). */

static void message_keep(mpi_handle comm, const void *message)
{
	atomic_store_explicit(&tacho_wildcards, 1,
		memory_order_relaxed); /* MPI_Imrecv names no source */
	map_set(&messages, handle_key(handle_at(message, 0)), (uintptr_t)comm_find(comm));
}

const struct mpi_comm *message_take(const void *message)
{
	static const struct mpi_comm unknown;
	mpi_handle handle = handle_key(handle_at(message, 0));
	const struct mpi_comm *comm = (const struct mpi_comm *)map_get(&messages, handle);

	if (!comm)
		return &unknown; /* MPI_MESSAGE_NO_PROC, or matched before recording began */
	map_set(&messages, handle, 0);
	return comm;
}

WRAPPER(MPI_Mprobe, (int source, int tag, mpi_handle comm, void *message, void *status))
{
	struct mpi_call call = call_enter(REGION_MPI_Mprobe, comm);
	struct status_room own;
	int ret;

	status = status_for(&call, status, &own);
	ret = MPI_REAL(MPI_Mprobe)(source, tag, comm, message, status);
	call_leave_probe(&call, ret, status);
	if (ret == 0 && comms_are_kept())
		message_keep(comm, message);
	return ret;
}

WRAPPER(MPI_Improbe, (int source, int tag, mpi_handle comm, int *flag, void *message, void *status))
{
	struct mpi_call call = call_enter(REGION_MPI_Improbe, comm);
	struct status_room own;
	int ret;

	status = status_for(&call, status, &own);
	ret = MPI_REAL(MPI_Improbe)(source, tag, comm, flag, message, status);
	if (ret == 0 && *flag)
		call_leave_probe(&call, ret, status);
	else
		call_leave(&call);
	if (ret == 0 && *flag && comms_are_kept())
		message_keep(comm, message);
	return ret;
}

/* Files */

int64_t file_offset(const struct file_call *call, mpi_handle fh, int64_t offset)
{
	static int (*_Atomic byte_offset)(mpi_handle, int64_t, int64_t *);
	int64_t bytes = offset;
	void *found;

	if (!span_is_on(&call->span))
		return -1;
	if (!atomic_load(&byte_offset)) {
		found = real_symbol("PMPI_File_get_byte_offset");
		atomic_store(&byte_offset,
			(int (*)(mpi_handle, int64_t, int64_t *))(
				found ? found : real_symbol("MPI_File_get_byte_offset")));
	}
	if (atomic_load(&byte_offset))
		atomic_load (&byte_offset)(fh, offset, &bytes);
	return bytes;
}

static uint32_t file_define(mpi_handle fh, const char *path, int amode, const struct mpi_comm *comm)
{
	struct spool_def_handle def = { .kind = HANDLE_MPI_FILE,
		.comm = comm->id,
		.flags = (uint64_t)amode };
	char full[PATH_MAX];
	struct stat st;
	uint32_t id;

	if (stat(path, &st) == 0) {
		def.dev = st.st_dev;
		def.ino = st.st_ino;
	}
	id = process_define_handle(&def,
		path_make_absolute(full, path) || realpath(path, full) ? full : path);
	map_set(&tacho_files, fh, id);
	return id;
}

WRAPPER(MPI_File_open, (mpi_handle comm, const char *path, int amode, mpi_handle info, void *fh))
{
	struct file_call file = { .offset = -1 };
	struct mpi_call call = call_enter(REGION_MPI_File_open, comm);
	int ret = MPI_REAL(MPI_File_open)(comm, path, amode, info, fh);
	int saved = errno;

	file.span = call.span;
	if (ret == 0 && comms_are_kept())
		file.file = file_define(*(mpi_handle *)fh, path, amode, comm_find(comm));
	file_leave(&file, ret, 0);
	errno = saved;
	return ret;
}

WRAPPER(MPI_File_close, (void *fh))
{
	mpi_handle handle = *(mpi_handle *)fh;
	struct file_call call = file_enter(REGION_MPI_File_close, handle);
	int ret;

	map_forget(&tacho_files, handle);
	ret = MPI_REAL(MPI_File_close)(fh);
	file_leave(&call, ret, 0);
	return ret;
}
