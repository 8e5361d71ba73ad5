/*
 * mpi_shapes.h - the bodies of the regular MPI wrappers: a line of tacho/mpi_calls.def with the
 * shape S expands into SHAPE_S. The including file defines the types COUNT and DISPL first.
 */
#ifndef COLLECTOR_MPI_SHAPES_H
#define COLLECTOR_MPI_SHAPES_H

#include "core/fold.h"
#include "mpi/mpi_coll.h"
#include "mpi/mpi_objects.h"
#include "mpi/mpi_request.h"

#define SHAPE_IRREGULAR(name, ...)

/*
 * Hot shapes begin by asking whether the thread records, and if not lead
 * straight on to the real function: outside a capture window that is all.
 */

/* Nothing to record but the time. */
#define SHAPE_BARE(name, params, args)                                                             \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct span span = span_enter(REGION_##name, 0);                                   \
		int ret = MPI_REAL(name) args;                                                     \
                                                                                                   \
		span_leave(&span, SPOOL_CALL, 0, NULL, 0);                                         \
		return ret;                                                                        \
	}

/* A call on a communicator. */
#define SHAPE_PLAIN(name, params, args, comm)                                                      \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct mpi_call call;                                                              \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name) args;                                                \
		call = call_begin(self, REGION_##name, comm);                                      \
		ret = MPI_REAL(name) args;                                                         \
		call_leave(&call);                                                                 \
		return ret;                                                                        \
	}

/* A check whether there is a message, on a communicator. */
#define SHAPE_PEEK(name, params, args, comm)                                                       \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct status_room own;                                                            \
		struct mpi_call call;                                                              \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name) args;                                                \
		call = call_begin(self, REGION_##name, comm);                                      \
		status = status_for(&call, status, &own);                                          \
		ret = MPI_REAL(name) args;                                                         \
		if (likely(ret == 0 && !*flag))                                                    \
			span_leave_fold(&call.span, 0, 0, SPOOL_CALL, call.comm->id, NULL, 0);     \
		else                                                                               \
			call_leave_probe(&call, ret, status);                                      \
		return ret;                                                                        \
	}

#define PARAMS_MESSAGE                                                                             \
	const void *buf, COUNT count, mpi_handle type, int peer, int tag, mpi_handle comm
#define ARGS_MESSAGE buf, count, type, peer, tag, comm

#define SHAPE_SEND(name, ...)                                                                      \
	WRAPPER(name, (PARAMS_MESSAGE))                                                            \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct mpi_call call;                                                              \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name)(ARGS_MESSAGE);                                       \
		call = call_begin_message(self, REGION_##name, comm, peer);                        \
		ret = MPI_REAL(name)(ARGS_MESSAGE);                                                \
		if (unlikely(ret != 0))                                                            \
			call_leave(&call);                                                         \
		else                                                                               \
			call_leave_message(&call, peer, tag, data_bytes(count, type), 0);          \
		return ret;                                                                        \
	}

/* Number of the request that the call made. */
#define NUMBER request_number(handle_key(handle_at(request, 0)))

#define POST(name, note)                                                                           \
	WRAPPER(name, (PARAMS_MESSAGE, void *request))                                             \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct mpi_call call;                                                              \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name)(ARGS_MESSAGE, request);                              \
		note;                                                                              \
		call = call_begin(self, REGION_##name, comm);                                      \
		ret = MPI_REAL(name)(ARGS_MESSAGE, request);                                       \
		if (unlikely(ret != 0))                                                            \
			call_leave(&call);                                                         \
		else                                                                               \
			call_leave_message(&call, peer, tag, data_bytes(count, type), NUMBER);     \
		return ret;                                                                        \
	}

#define SHAPE_POST(name, ...)	   POST(name, (void)0)
#define SHAPE_POST_RECV(name, ...) POST(name, wildcard_note(peer, tag))

#define SHAPE_RECV(name, params, args, count, type, comm, status)                                  \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct status_room own;                                                            \
		struct recv_status arrival;                                                        \
		struct mpi_call call;                                                              \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name) args;                                                \
		call = call_begin_message(self, REGION_##name, comm, source);                      \
		status = status_for(&call, status, &own);                                          \
		ret = MPI_REAL(name) args;                                                         \
		if (unlikely(!message_taken(&call, ret))) {                                        \
			call_leave(&call);                                                         \
			return ret;                                                                \
		}                                                                                  \
		arrival = message_read(status, ret, count, type);                                  \
		call_leave_message(&call, arrival.source, arrival.tag, arrival.bytes, 0);          \
		return ret;                                                                        \
	}

/* Finds a message and leaves it where it is. */
#define SHAPE_PROBE(name, params, args, comm, status)                                              \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct status_room own;                                                            \
		struct mpi_call call;                                                              \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name) args;                                                \
		call = call_begin_message(self, REGION_##name, comm, source);                      \
		status = status_for(&call, status, &own);                                          \
		ret = MPI_REAL(name) args;                                                         \
		call_leave_probe(&call, ret, status);                                              \
		return ret;                                                                        \
	}

#define SHAPE_SENDRECV(name, params, args, nsent, senttype, dest, sendtag, count, type, comm,      \
	status)                                                                                    \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct status_room own;                                                            \
		struct recv_status arrival;                                                        \
		struct mpi_call call;                                                              \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name) args;                                                \
		call = call_begin(self, REGION_##name, comm);                                      \
		status = status_for(&call, status, &own);                                          \
		ret = MPI_REAL(name) args;                                                         \
		if (unlikely(!message_taken(&call, ret))) {                                        \
			call_leave(&call);                                                         \
			return ret;                                                                \
		}                                                                                  \
		arrival = message_read(status, ret, count, type);                                  \
		span_leave(&call.span, SPOOL_SENDRECV, call.comm->id,                              \
			(uint64_t[]){ spool_pair((uint32_t)peer_number(dest), (uint32_t)sendtag),  \
				data_bytes(nsent, senttype),                                       \
				spool_pair((uint32_t)peer_number(arrival.source),                  \
					(uint32_t)arrival.tag),                                    \
				arrival.bytes },                                                   \
			4);                                                                        \
		return ret;                                                                        \
	}

/* Posts both on one request; all have arguments dest, sendtag, source, recvtag and comm. */
#define SHAPE_ISENDRECV(name, params, args, nsent, senttype, count, type)                          \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct mpi_call call;                                                              \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name) args;                                                \
		wildcard_note(source, recvtag);                                                    \
		call = call_begin(self, REGION_##name, comm);                                      \
		ret = MPI_REAL(name) args;                                                         \
		if (unlikely(ret != 0)) {                                                          \
			call_leave(&call);                                                         \
			return ret;                                                                \
		}                                                                                  \
		span_leave(&call.span, SPOOL_SENDRECV, call.comm->id,                              \
			(uint64_t[]){ spool_pair((uint32_t)peer_number(dest), (uint32_t)sendtag),  \
				data_bytes(nsent, senttype),                                       \
				spool_pair((uint32_t)peer_number(source), (uint32_t)recvtag),      \
				data_bytes(count, type),                                           \
				spool_pair(NUMBER,                                                 \
					tacho_abi.family == MPI_FAMILY_MPICH                       \
						? SPOOL_SENDRECV_UNKNOWN                           \
						: 0) },                                            \
			5);                                                                        \
		return ret;                                                                        \
	}

#define INIT(name, note)                                                                           \
	WRAPPER(name, (PARAMS_MESSAGE, void *request))                                             \
	{                                                                                          \
		struct mpi_call call = call_enter(REGION_##name, comm);                            \
		int ret = MPI_REAL(name)(ARGS_MESSAGE, request);                                   \
                                                                                                   \
		if (ret == 0 && comms_are_kept()) {                                                \
			note;                                                                      \
			request_keep_message(handle_at(request, 0), REGION_##name,                 \
				comm_find(comm), peer, tag, data_bytes(count, type));              \
		}                                                                                  \
		call_leave(&call);                                                                 \
		return ret;                                                                        \
	}

/* A partitioned message, all its partitions together; both sides name their peer. */
#define SHAPE_PARTS(name, ...)                                                                     \
	WRAPPER(name,                                                                              \
		(void *buf, int partitions, int64_t count, mpi_handle type, int peer, int tag,     \
			mpi_handle comm, mpi_handle info, void *request))                          \
	{                                                                                          \
		struct mpi_call call = call_enter(REGION_##name, comm);                            \
		int ret = MPI_REAL(                                                                \
			name)(buf, partitions, count, type, peer, tag, comm, info, request);       \
                                                                                                   \
		if (ret == 0 && comms_are_kept())                                                  \
			request_keep_message(handle_at(request, 0), REGION_##name,                 \
				comm_find(comm), peer, tag, data_bytes(partitions *count, type));  \
		call_leave(&call);                                                                 \
		return ret;                                                                        \
	}

/* A check whether a partition exists. */
#define SHAPE_PARRIVED(name, params, args)                                                         \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct span span = span_enter(REGION_##name, 0);                                   \
		int ret = MPI_REAL(name) args;                                                     \
                                                                                                   \
		if (likely(ret == 0 && !*flag))                                                    \
			span_leave_fold(&span, 0, 0, SPOOL_CALL, 0, NULL, 0);                      \
		else                                                                               \
			span_leave(&span, SPOOL_CALL, 0, NULL, 0);                                 \
		return ret;                                                                        \
	}

#define SHAPE_INIT(name, ...)	   INIT(name, (void)0)
#define SHAPE_INIT_RECV(name, ...) INIT(name, wildcard_note(peer, tag))

/* Receives of a matched message. */
#define SHAPE_MRECV(name, ...)                                                                     \
	WRAPPER(name, (void *buf, COUNT count, mpi_handle type, void *message, void *status))      \
	{                                                                                          \
		struct mpi_call call = { .comm = message_take(message) };                          \
		struct status_room own;                                                            \
		struct recv_status arrival;                                                        \
		int ret;                                                                           \
                                                                                                   \
		call.span = span_enter(REGION_##name, call.comm->id);                              \
		status = status_for(&call, status, &own);                                          \
		ret = MPI_REAL(name)(buf, count, type, message, status);                           \
		if (!message_taken(&call, ret)) {                                                  \
			call_leave(&call);                                                         \
			return ret;                                                                \
		}                                                                                  \
		arrival = message_read(status, ret, count, type);                                  \
		call_leave_message(&call, arrival.source, arrival.tag, arrival.bytes, 0);          \
		return ret;                                                                        \
	}

#define SHAPE_IMRECV(name, ...)                                                                    \
	WRAPPER(name, (void *buf, COUNT count, mpi_handle type, void *message, void *request))     \
	{                                                                                          \
		struct mpi_call call = { .comm = message_take(message) };                          \
		int ret;                                                                           \
                                                                                                   \
		call.span = span_enter(REGION_##name, call.comm->id);                              \
		ret = MPI_REAL(name)(buf, count, type, message, request);                          \
		if (ret != 0 || !span_is_on(&call.span))                                           \
			call_leave(&call);                                                         \
		else                                                                               \
			call_leave_message(&call, tacho_abi.any_source, SPOOL_TAG_ANY,             \
				data_bytes(count, type), NUMBER);                                  \
		return ret;                                                                        \
	}

#define COLLECTIVE(name, sig, params, args, root, request)                                         \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct volume volume = { 0 };                                                      \
		struct mpi_call call;                                                              \
		bool is_sized;                                                                     \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name) args;                                                \
		call.comm = comm_find(comm);                                                       \
		is_sized = IS_SIZED_##sig;                                                         \
		if (is_sized)                                                                      \
			volume = volume_##sig(call.comm VOLUME_##sig);                             \
		call_begin_coll(&call, self, REGION_##name, root,                                  \
			is_sized ? volume_size(volume) + 1 : 0);                                   \
		ret = MPI_REAL(name) args;                                                         \
		if (unlikely(ret != 0)) {                                                          \
			call_leave(&call);                                                         \
			return ret;                                                                \
		}                                                                                  \
		if (!is_sized)                                                                     \
			volume = volume_##sig(call.comm VOLUME_##sig);                             \
		call_leave_coll(&call, volume, root, request);                                     \
		return ret;                                                                        \
	}

#define ROOT root_number(call.comm, root)

#define SHAPE_COLL(name, sig)                                                                      \
	COLLECTIVE(name, sig, (PARAMS_##sig), (ARGS_##sig), SPOOL_ROOT_NONE, 0)
#define SHAPE_ROOTED(name, sig) COLLECTIVE(name, sig, (PARAMS_##sig), (ARGS_##sig), ROOT, 0)
#define SHAPE_ICOLL(name, sig)                                                                     \
	COLLECTIVE(name, sig, (PARAMS_##sig, void *request), (ARGS_##sig, request),                \
		SPOOL_ROOT_NONE, NUMBER)
#define SHAPE_IROOTED(name, sig)                                                                   \
	COLLECTIVE(name, sig, (PARAMS_##sig, void *request), (ARGS_##sig, request), ROOT, NUMBER)

/* Makes a request that carries out a collective each time that it is started. */
#define COLLECTIVE_INIT(name, sig, root)                                                           \
	WRAPPER(name, (PARAMS_##sig, mpi_handle info, void *request))                              \
	{                                                                                          \
		struct mpi_call call = call_enter(REGION_##name, comm);                            \
		int ret = MPI_REAL(name)(ARGS_##sig, info, request);                               \
                                                                                                   \
		if (ret == 0 && comms_are_kept()) {                                                \
			call.comm = comm_find(comm);                                               \
			request_keep_collective(handle_at(request, 0), REGION_##name, call.comm,   \
				volume_##sig(call.comm VOLUME_##sig), root);                       \
		}                                                                                  \
		call_leave(&call);                                                                 \
		return ret;                                                                        \
	}

#define SHAPE_COLL_INIT(name, sig)   COLLECTIVE_INIT(name, sig, SPOOL_ROOT_NONE)
#define SHAPE_ROOTED_INIT(name, sig) COLLECTIVE_INIT(name, sig, ROOT)

/* Makes a communicator, collectively on `comm`. */
#define SHAPE_NEWCOMM(name, params, args)                                                          \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct mpi_call call = call_enter(REGION_##name, comm);                            \
		int ret = MPI_REAL(name) args;                                                     \
                                                                                                   \
		call_leave_coll(&call, (struct volume){ 0 }, SPOOL_ROOT_NONE, 0);                  \
		if (ret == 0)                                                                      \
			comm_define_child(comm, newcomm);                                          \
		return ret;                                                                        \
	}

/* Makes a communicator among the ranks that pass `tag`. */
#define SHAPE_NEWGROUP(name, params, args, tag)                                                    \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct mpi_call call = call_enter(REGION_##name, comm);                            \
		int ret = MPI_REAL(name) args;                                                     \
                                                                                                   \
		call_leave(&call);                                                                 \
		if (ret == 0)                                                                      \
			comm_define_group(comm, newcomm, tag);                                     \
		return ret;                                                                        \
	}

/* The same from groups alone, as sessions have them. */
#define SHAPE_FROMGROUP(name, params, args, newcomm)                                               \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct span span = span_enter(REGION_##name, 0);                                   \
		int ret = MPI_REAL(name) args;                                                     \
                                                                                                   \
		span_leave(&span, SPOOL_CALL, 0, NULL, 0);                                         \
		if (ret == 0)                                                                      \
			comm_define_from_group(newcomm, stringtag);                                \
		return ret;                                                                        \
	}

/* One-sided: `window` represents the communicator; then the arguments for the record's bytes. */
#define ONE_SIDED(name, params, args, target, request, ...)                                        \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct thread *self = thread_self(REGION_##name);                                  \
		struct span span;                                                                  \
		uint32_t id;                                                                       \
		int ret;                                                                           \
                                                                                                   \
		if (unlikely(!self))                                                               \
			return MPI_REAL(name) args;                                                \
		id = window_number(win);                                                           \
		span = span_begin(self, REGION_##name, id);                                        \
		ret = MPI_REAL(name) args;                                                         \
		if (unlikely(ret != 0))                                                            \
			span_leave(&span, SPOOL_CALL, 0, NULL, 0);                                 \
		else                                                                               \
			span_leave(&span, SPOOL_RMA, id,                                           \
				(uint64_t[]){ spool_pair((uint32_t)peer_number(target), request),  \
					__VA_ARGS__ },                                             \
				1 + sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t));       \
		return ret;                                                                        \
	}

#define SHAPE_RMA(name, params, args, target, count, type)                                         \
	ONE_SIDED(name, params, args, target, 0, data_bytes(count, type))
#define SHAPE_RRMA(name, params, args, target, count, type)                                        \
	ONE_SIDED(name, params, args, target, NUMBER, data_bytes(count, type))
/* Returns the old data of the target. MPI_NO_OP sends nothing. */
#define RETURNED(sent, senttype, got, gottype, operation)                                          \
	handle_key(operation) == tacho_abi.no_op ? 0 : data_bytes(sent, senttype),                 \
		data_bytes(got, gottype)
#define SHAPE_FETCH(name, params, args, ...)                                                       \
	ONE_SIDED(name, params, args, target_rank, 0, RETURNED(__VA_ARGS__))
#define SHAPE_RFETCH(name, params, args, ...)                                                      \
	ONE_SIDED(name, params, args, target_rank, NUMBER, RETURNED(__VA_ARGS__))
/* A call on the window as a whole. */
#define NO_TARGET tacho_abi.proc_null

#define SHAPE_WIN(name, params, args, target) ONE_SIDED(name, params, args, target, 0, 0)

#define SHAPE_NEWWIN(name, params, args)                                                           \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct mpi_call call = call_enter(REGION_##name, comm);                            \
		int ret = MPI_REAL(name) args;                                                     \
                                                                                                   \
		call_leave_coll(&call, (struct volume){ 0 }, SPOOL_ROOT_NONE, 0);                  \
		if (ret == 0)                                                                      \
			window_define(win, comm);                                                  \
		return ret;                                                                        \
	}

/* Files. A call that moves no data has 0 bytes. */
#define FILE_BARE(name, params, args, at)                                                          \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct file_call call = file_enter(REGION_##name, fh);                             \
		int ret;                                                                           \
                                                                                                   \
		call.offset = at;                                                                  \
		ret = MPI_REAL(name) args;                                                         \
		file_leave(&call, ret, 0);                                                         \
		return ret;                                                                        \
	}

#define SHAPE_FILE(name, params, args) FILE_BARE(name, params, args, -1)

/* Moves the file pointer; states where it is then, in bytes. */
#define SHAPE_FILE_SEEK(name, where)                                                               \
	WRAPPER(name, (mpi_handle fh, int64_t offset, int whence))                                 \
	{                                                                                          \
		struct file_call call = file_enter(REGION_##name, fh);                             \
		int ret = MPI_REAL(name)(fh, offset, whence);                                      \
		int64_t at = 0;                                                                    \
                                                                                                   \
		if (ret == 0 && span_is_on(&call.span) && MPI_REAL(where)(fh, &at) == 0)           \
			at = file_offset(&call, fh, at);                                           \
		file_leave(&call, ret, (uint64_t)at);                                              \
		return ret;                                                                        \
	}

#define FILE_STATUS(name, params, args, at)                                                        \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct status_room own;                                                            \
		struct file_call call = file_enter(REGION_##name, fh);                             \
		int ret;                                                                           \
                                                                                                   \
		call.offset = at;                                                                  \
		status = file_status_for(&call, status, &own);                                     \
		ret = MPI_REAL(name) args;                                                         \
		file_leave(&call, ret, span_is_on(&call.span) ? status_read(status).bytes : 0);    \
		return ret;                                                                        \
	}

#define FILE_POST(name, params, args, at)                                                          \
	WRAPPER(name, params)                                                                      \
	{                                                                                          \
		struct file_call call = file_enter(REGION_##name, fh);                             \
		int ret;                                                                           \
                                                                                                   \
		call.offset = at;                                                                  \
		ret = MPI_REAL(name) args;                                                         \
		if (ret == 0 && span_is_on(&call.span))                                            \
			file_leave_post(&call, data_bytes(count, type), NUMBER);                   \
		else                                                                               \
			file_leave(&call, ret, 0);                                                 \
		return ret;                                                                        \
	}

#define AT file_offset(&call, fh, offset)

#define SHAPE_IO(name, ...)                                                                        \
	FILE_STATUS(name, (mpi_handle fh, void *buf, COUNT count, mpi_handle type, void *status),  \
		(fh, buf, count, type, status), -1)
#define SHAPE_IO_AT(name, ...)                                                                     \
	FILE_STATUS(name,                                                                          \
		(mpi_handle fh, int64_t offset, void *buf, int count, mpi_handle type,             \
			void *status),                                                             \
		(fh, offset, buf, count, type, status), AT)
#define SHAPE_IO_END(name, ...)                                                                    \
	FILE_STATUS(name, (mpi_handle fh, void *buf, void *status), (fh, buf, status), -1)
#define SHAPE_IO_BEGIN(name, ...)                                                                  \
	SHAPE_FILE(name, (mpi_handle fh, void *buf, COUNT count, mpi_handle type),                 \
		(fh, buf, count, type))
#define SHAPE_IO_AT_BEGIN(name, ...)                                                               \
	FILE_BARE(name, (mpi_handle fh, int64_t offset, void *buf, COUNT count, mpi_handle type),  \
		(fh, offset, buf, count, type), AT)
#define SHAPE_IIO(name, ...)                                                                       \
	FILE_POST(name, (mpi_handle fh, void *buf, COUNT count, mpi_handle type, void *request),   \
		(fh, buf, count, type, request), -1)
#define SHAPE_IIO_AT(name, ...)                                                                    \
	FILE_POST(name,                                                                            \
		(mpi_handle fh, int64_t offset, void *buf, int count, mpi_handle type,             \
			void *request),                                                            \
		(fh, offset, buf, count, type, request), AT)

#endif
