/*
 * merge_payload.c - what calls carry: messages, collectives, requests, one-sided
 * transfers, I/O operations and hand-overs. See merge_event.h.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>

#include "merge/merge_event.h"
#include "merge/merge_messages.h"
#include "merge/nccl/nccl.h"
#include "merge/walk/walk_regions.h"
#include "merge/merge_stream.h"
#include "tacho/trace.h"

/* Non-blocking operations of I/O are numbered apart from the blocking ones, which all have 0. */
#define IO_ID(request) ((request)->id + 1)

static const struct spool_handle *handle_of(const struct writer *w, uint32_t id)
{
	const struct spool_process *s = w->process->spool;

	return id && id < s->handles.n && s->handles.at[id].path ? &s->handles.at[id] : NULL;
}

static void handover(struct writer *w, uint64_t object, bool wakes)
{
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SYNC, object);
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_WAKE, wakes);
}

/* What the call is about: which device and stream, and what it launched. */
static void cuda_attributes(struct writer *w, const struct entry *e)
{
	uint32_t stream = e->rec[3], device = e->rec[3] >> 32;
	const struct region_info *info = &region_infos[e->region];

	if (info->launches && spool_a(e->rec[0]))
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_CORRELATION,
			spool_a(e->rec[0]));
	if (device != SPOOL_DEVICE_NONE)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_DEVICE, device);
	if (stream != SPOOL_STREAM_NONE)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_STREAM, stream);
	if ((info->word == CUDA_WORD_EVENT || info->word == CUDA_WORD_BYTES) &&
		spool_words(e->rec[2]) > 4)
		OTF2_AttributeList_AddUint64(w->attributes,
			info->word == CUDA_WORD_EVENT ? ATTRIBUTE_EVENT : ATTRIBUTE_BYTES,
			e->rec[4]);
}

/* Which message a probe found: it is received later. */
static void probe_attributes(struct writer *w, const struct entry *e)
{
	uint32_t comm = process_comm(w->process, spool_a(e->rec[0]));
	int32_t peer = (int32_t)e->rec[3];

	if (comm == NONE || peer < 0)
		return;
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_COMM, comm);
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_PEER, (uint64_t)peer);
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_TAG, e->rec[3] >> 32);
}

/* Whether the record is a blocking collective that the archive can name. */
static bool is_collective(const struct writer *w, const struct entry *e)
{
	if (e->type != SPOOL_COLL && (e->type != SPOOL_COLL_FULL || e->nrequests))
		return false;
	return region_infos[e->region].collective != COLLECTIVE_NONE &&
		process_comm(w->process, spool_a(e->rec[0])) != NONE;
}

static uint32_t window_of(const struct writer *w, uint32_t id)
{
	const struct spool_process *s = w->process->spool;

	return id && id < s->windows.n && s->windows.at[id].comm ? s->windows.at[id].global : NONE;
}

/* All of the window's processes wait for each other. */
static bool is_fence(const struct writer *w, const struct entry *e)
{
	return e->region == REGION_MPI_Win_fence && window_of(w, spool_a(e->rec[0])) != NONE;
}

/*
 * How many collectives of one communicator the entry begins, *comm NONE: of several. MPI matches
 * them in the order of a process's calls, whichever threads make them: that of the walk.
 */
static uint32_t collectives_begun(const struct writer *w, const struct group *g,
	const struct entry *e, uint32_t *comm)
{
	uint32_t n = 0;

	*comm = NONE;
	if (is_collective(w, e)) {
		*comm = process_comm(w->process, spool_a(e->rec[0]));
		return 1;
	}
	if (e->type == SPOOL_RMA && is_fence(w, e)) {
		*comm = w->merge->windows[window_of(w, spool_a(e->rec[0]))].comm;
		return 1;
	}
	for (uint32_t i = 0; i < e->nrequests && !entry_completes(e); i++) {
		const struct walk_request *r = &g->requests[e->first_request + i];
		uint32_t of = process_comm(w->process, r->handle);

		if (r->kind != REQUEST_COLL || r->place || of == NONE ||
			region_infos[r->region].collective == COLLECTIVE_NONE)
			continue;
		*comm = n++ && *comm != of ? NONE : of;
	}
	return n;
}

static void collective_number(struct writer *w, const struct group *g, const struct entry *e)
{
	struct process *p = w->process;
	uint32_t comm, n = collectives_begun(w, g, e, &comm);

	if (!n || comm == NONE)
		return;
	if (!p->coll_seq)
		p->coll_seq = calloc(w->merge->ncomms + 1, sizeof(*p->coll_seq));
	if (!p->coll_seq) {
		w->error = OTF2_ERROR_MEM_ALLOC_FAILED;
		return;
	}
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SEQ, p->coll_seq[comm]);
	p->coll_seq[comm] += n;
}

/* The object of a read of the handle, or of a write to it; 0: nobody knows who wakes whom. */
static uint64_t handle_object(const struct writer *w, const struct spool_handle *handle, bool wakes)
{
	if (handle->def.kind == HANDLE_EVENT)
		return handle->def.peer;
	/* each end has an inode of its own: what is written wakes readers of the other one */
	if (handle->def.kind == HANDLE_SOCKET && wakes)
		return w->merge->files[handle->file].peer;
	return handle->def.ino;
}

/* Pipes, sockets, timers, terminals are no storage. */
static bool has_peer(const struct spool_handle *handle)
{
	return handle &&
		(handle->def.kind == HANDLE_PIPE || handle->def.kind == HANDLE_SOCKET ||
			handle->def.kind == HANDLE_EVENT);
}

/* A transfer that has not returned waits for the other end, whichever that is. */
static void cut_attributes(struct writer *w, const struct entry *e)
{
	if (region_infos[e->region].io != IO_OP_NONE && has_peer(handle_of(w, e->arg)))
		handover(w, 0, false);
}

/*
 * A read waits for who writes, also one that fails or ends early, and so does opening a named pipe.
 */
void payload_handover(struct writer *w, const struct entry *e)
{
	const struct spool_handle *handle = handle_of(w, spool_a(e->rec[0]));
	unsigned op = region_infos[e->region].io;
	uint64_t object;
	int64_t offset;

	if (!has_peer(handle))
		return;
	if (op == IO_OP_CREATE ? handle->def.kind == HANDLE_PIPE
			       : op == IO_OP_READ && entry_io_result(e, &offset) < 0) {
		handover(w, 0, false);
		return;
	}
	if (op != IO_OP_READ && (op != IO_OP_WRITE || entry_io_result(e, &offset) < 0))
		return;
	object = handle_object(w, handle, op == IO_OP_WRITE);
	if (object || (op == IO_OP_READ && handle->def.kind == HANDLE_EVENT))
		handover(w, object, op == IO_OP_WRITE);
}

/* Who is at the other end of the socket, and what passed between both. */
static void stream_attributes(struct writer *w, const struct entry *e)
{
	const struct stream_mark *mark = stream_mark_next(w->process,
		(uint32_t)(w->location - w->process->locations), e->start, &w->stream);

	if (!mark)
		return;
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_PARTNER, mark->partner);
	if (mark->message)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_MESSAGE, mark->message);
}

void payload_attributes(struct writer *w, const struct group *g, const struct entry *e)
{
	if (e->is_truncated) {
		cut_attributes(w, e);
		return;
	}
	if (w->merge->numbers_collectives)
		collective_number(w, g, e);
	if (e->type == SPOOL_CUDA) {
		cuda_attributes(w, e);
		return;
	}
	if ((e->type == SPOOL_P2P || e->type == SPOOL_P2P_LONG) && !region_infos[e->region].p2p) {
		probe_attributes(w, e);
		return;
	}
	if (e->type == SPOOL_NCCL) {
		nccl_call_attributes(w, e);
		return;
	}
	if (e->type == SPOOL_SYNC) {
		stream_attributes(w, e);
		if (spool_a(e->rec[0]) == SPOOL_SYNC_WAIT || spool_a(e->rec[0]) == SPOOL_SYNC_WAKE)
			handover(w, e->rec[3], spool_a(e->rec[0]) == SPOOL_SYNC_WAKE);
		return;
	}
	if (entry_is_io(e)) {
		payload_handover(w, e);
		stream_attributes(w, e);
	}
}

static const OTF2_IoOperationMode io_modes[] = {
	[IO_OP_READ] = OTF2_IO_OPERATION_MODE_READ,
	[IO_OP_WRITE] = OTF2_IO_OPERATION_MODE_WRITE,
	[IO_OP_FLUSH] = OTF2_IO_OPERATION_MODE_FLUSH,
};

static bool is_transfer(unsigned op)
{
	return op == IO_OP_READ || op == IO_OP_WRITE || op == IO_OP_FLUSH;
}

static void io_begin(struct writer *w, const struct group *g, const struct entry *e, uint64_t time)
{
	uint32_t id = spool_a(e->rec[0]);
	unsigned op = region_infos[e->region].io;
	const struct walk_request *request = e->nrequests ? &g->requests[e->first_request] : NULL;
	int64_t offset, bytes = entry_io_result(e, &offset);

	const struct spool_handle *handle = handle_of(w, id);

	if (!is_transfer(op) || !handle)
		return;
	if (offset >= 0)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_OFFSET, offset);
	w->error |= OTF2_EvtWriter_IoOperationBegin(w->out, w->attributes, time, handle->number,
		io_modes[op],
		(request ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING : OTF2_IO_OPERATION_FLAG_NONE) |
			(region_infos[e->region].by_all ? OTF2_IO_OPERATION_FLAG_COLLECTIVE
							: OTF2_IO_OPERATION_FLAG_NONE),
		bytes > 0 ? bytes : 0, request ? IO_ID(request) : 0);
}

/* The handle that a copy between descriptors writes to, NULL for all other calls. */
static const struct spool_handle *target_of(const struct writer *w, const struct entry *e)
{
	return e->type == SPOOL_IO_PLAIN && spool_words(e->rec[2]) > 4
		? handle_of(w, (uint32_t)e->rec[4])
		: NULL;
}

static void target_begin(struct writer *w, const struct entry *e, uint64_t time)
{
	const struct spool_handle *target = target_of(w, e);
	int64_t offset, bytes = entry_io_result(e, &offset);

	if (target)
		w->error |= OTF2_EvtWriter_IoOperationBegin(w->out, NULL, time, target->number,
			OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_NONE,
			bytes > 0 ? bytes : 0, 0);
}

static void target_end(struct writer *w, const struct entry *e, uint64_t time)
{
	const struct spool_handle *target = target_of(w, e);
	int64_t offset, bytes = entry_io_result(e, &offset);

	if (target)
		w->error |= OTF2_EvtWriter_IoOperationComplete(w->out, NULL, time, target->number,
			bytes > 0 ? bytes : 0, 0);
}

static OTF2_IoAccessMode access_mode(uint64_t flags)
{
	switch (flags & O_ACCMODE) {
	case O_WRONLY: return OTF2_IO_ACCESS_MODE_WRITE_ONLY;
	case O_RDWR: return OTF2_IO_ACCESS_MODE_READ_WRITE;
	default: return OTF2_IO_ACCESS_MODE_READ_ONLY;
	}
}

static OTF2_IoCreationFlag creation_flags(uint64_t flags)
{
	return (flags & O_CREAT ? OTF2_IO_CREATION_FLAG_CREATE : 0) |
		(flags & O_TRUNC ? OTF2_IO_CREATION_FLAG_TRUNCATE : 0) |
		(flags & O_DIRECTORY ? OTF2_IO_CREATION_FLAG_DIRECTORY : 0) |
		(flags & O_EXCL ? OTF2_IO_CREATION_FLAG_EXCLUSIVE : 0);
}

static OTF2_IoStatusFlag status_flags(uint64_t flags)
{
	return (flags & O_CLOEXEC ? OTF2_IO_STATUS_FLAG_CLOSE_ON_EXEC : 0) |
		(flags & O_APPEND ? OTF2_IO_STATUS_FLAG_APPEND : 0) |
		(flags & O_NONBLOCK ? OTF2_IO_STATUS_FLAG_NON_BLOCKING : 0) |
		(flags & O_SYNC ? OTF2_IO_STATUS_FLAG_SYNC : 0);
}

static void io_end(struct writer *w, const struct group *g, const struct entry *e, uint64_t time)
{
	const struct spool_handle *handle = handle_of(w, spool_a(e->rec[0]));
	unsigned op = region_infos[e->region].io;
	const struct walk_request *request = e->nrequests ? &g->requests[e->first_request] : NULL;
	int64_t offset, result = entry_io_result(e, &offset);

	uint32_t number;

	if (!handle)
		return;
	number = handle->number;
	if (is_transfer(op) && request)
		w->error |= OTF2_EvtWriter_IoOperationIssued(w->out, NULL, time, number,
			IO_ID(request));
	else if (is_transfer(op))
		w->error |= OTF2_EvtWriter_IoOperationComplete(w->out, NULL, time, number,
			result > 0 && op != IO_OP_FLUSH ? result : 0, 0);
	else if (op == IO_OP_CREATE && result >= 0)
		w->error |= OTF2_EvtWriter_IoCreateHandle(w->out, NULL, time, number,
			access_mode(handle->def.flags), creation_flags(handle->def.flags),
			status_flags(handle->def.flags));
	else if (op == IO_OP_DESTROY && result >= 0)
		w->error |= OTF2_EvtWriter_IoDestroyHandle(w->out, NULL, time, number);
	else if (op == IO_OP_SEEK && result >= 0)
		w->error |= OTF2_EvtWriter_IoSeek(w->out, NULL, time, number, result,
			OTF2_IO_SEEK_FROM_START, result);
}

static uint32_t root_of(int32_t root)
{
	switch (root) {
	case SPOOL_ROOT_NONE: return OTF2_COLLECTIVE_ROOT_NONE;
	case SPOOL_ROOT_SELF: return OTF2_COLLECTIVE_ROOT_SELF;
	case SPOOL_ROOT_IDLE: return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
	default: return root;
	}
}

static void collective_end(struct writer *w, const struct entry *e, uint64_t time)
{
	const uint64_t *rec = e->rec;
	bool full = e->type == SPOOL_COLL_FULL;

	w->error |= OTF2_EvtWriter_MpiCollectiveEnd(w->out, NULL, time,
		region_infos[e->region].collective, process_comm(w->process, spool_a(rec[0])),
		full ? root_of((int32_t)rec[5]) : OTF2_COLLECTIVE_ROOT_NONE, rec[3],
		full ? rec[4] : rec[3]);
}

/* Messages without a partner are listed; few processes have any, the others skip the search. */
static void check_messages(struct writer *w, const struct group *g, const struct entry *e)
{
	if (w->process->has_unmatched && !w->is_kept)
		messages_of(w->merge, w->process, g, e, unmatched_check, w->merge);
}

/* One whose other end was summed is no message: readers would give it another end. Its bytes count. */
static bool lonely(struct writer *w, uint32_t comm, bool is_send, int32_t peer, uint64_t tag,
	uint64_t bytes)
{
	if (!w->is_kept &&
		!message_is_lonely(w->merge, w->process, comm, is_send, peer, (int32_t)tag))
		return false;
	*(is_send ? &w->lonely_sent : &w->lonely_received) += bytes;
	return true;
}

static void send_blocking(struct writer *w, const uint64_t *rec, uint64_t bytes, uint64_t time)
{
	uint32_t comm = process_comm(w->process, spool_a(rec[0]));
	int32_t peer = rec[3];

	if (comm != NONE && peer >= 0 &&
		!lonely(w, spool_a(rec[0]), true, peer, rec[3] >> 32, bytes))
		w->error |= OTF2_EvtWriter_MpiSend(w->out, NULL, time, peer, comm, rec[3] >> 32,
			bytes);
}

static void recv_blocking(struct writer *w, const uint64_t *rec, uint64_t where, uint64_t bytes,
	uint64_t time)
{
	uint32_t comm = process_comm(w->process, spool_a(rec[0]));
	int32_t peer = where;

	if (comm != NONE && peer >= 0 &&
		!lonely(w, spool_a(rec[0]), false, peer, where >> 32, bytes))
		w->error |= OTF2_EvtWriter_MpiRecv(w->out, NULL, time, peer, comm, where >> 32,
			bytes);
}

static OTF2_RmaAtomicType atomic_type(const struct entry *e)
{
	if (e->region == REGION_MPI_Compare_and_swap)
		return OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
	return spool_words(e->rec[2]) > 5 ? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE
					  : OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
}

static void rma_begin(struct writer *w, const struct entry *e, uint64_t id, uint64_t time)
{
	uint32_t window = window_of(w, spool_a(e->rec[0]));
	int32_t target = e->rec[3];
	uint64_t bytes = e->rec[4], returned = spool_words(e->rec[2]) > 5 ? e->rec[5] : 0;

	if (window == NONE || target < 0)
		return;
	switch (region_infos[e->region].rma) {
	case 'p':
		w->error |= OTF2_EvtWriter_RmaPut(w->out, NULL, time, window, target, bytes, id);
		break;
	case 'a':
		w->error |= OTF2_EvtWriter_RmaAtomic(w->out, NULL, time, window, target,
			atomic_type(e), bytes, returned, id);
		break;
	default: w->error |= OTF2_EvtWriter_RmaGet(w->out, NULL, time, window, target, bytes, id);
	}
}

/* With whom a window is started, posted for, completed or waited for. */
static void rma_peers(struct writer *w, const struct entry *e, uint64_t time)
{
	uint32_t window = window_of(w, spool_a(e->rec[0]));
	bool out = e->region == REGION_MPI_Win_post || e->region == REGION_MPI_Win_complete;

	for (const uint64_t *at = e->rec + 5;
		window != NONE && at < e->rec + spool_words(e->rec[2]); at++)
		for (int half = 0; half < 2; half++) {
			uint32_t rank = (uint32_t)(*at >> 32 * half);

			if (rank != NONE)
				w->error |= OTF2_EvtWriter_RmaSync(w->out, NULL, time, window, rank,
					out ? OTF2_RMA_SYNC_TYPE_NOTIFY_OUT
					    : OTF2_RMA_SYNC_TYPE_NOTIFY_IN);
		}
}

static void request_posted(struct writer *w, const struct entry *e, const struct walk_request *r,
	uint64_t time)
{
	uint32_t comm = process_comm(w->process, r->handle);

	switch (r->kind) {
	case REQUEST_SEND:
		if (comm != NONE && r->peer >= 0 &&
			!lonely(w, r->handle, true, r->peer, r->tag, r->sent))
			w->error |= OTF2_EvtWriter_MpiIsend(w->out, NULL, time, r->peer, comm,
				r->tag, r->sent, r->id);
		break;
	case REQUEST_RECV:
		if (comm != NONE && r->peer != SPOOL_RANK_NULL)
			w->error |= OTF2_EvtWriter_MpiIrecvRequest(w->out, NULL, time, r->id);
		break;
	case REQUEST_COLL:
		if (comm != NONE && region_infos[r->region].collective != COLLECTIVE_NONE)
			w->error |= OTF2_EvtWriter_NonBlockingCollectiveRequest(w->out, NULL, time,
				r->id);
		break;
	case REQUEST_RMA: rma_begin(w, e, r->id + 1, time); break;
	}
}

static void request_completed(struct writer *w, const struct walk_request *r, uint64_t time)
{
	uint32_t comm = process_comm(w->process, r->handle), window;
	const struct spool_handle *handle;

	switch (r->kind) {
	case REQUEST_SEND:
		if (comm != NONE && r->peer >= 0)
			w->error |= OTF2_EvtWriter_MpiIsendComplete(w->out, NULL, time, r->id);
		break;
	case REQUEST_RECV:
		if (comm == NONE || r->peer == SPOOL_RANK_NULL)
			break;
		if (r->cancelled || r->peer < 0 ||
			lonely(w, r->handle, false, r->peer, r->tag, r->received))
			w->error |= OTF2_EvtWriter_MpiRequestCancelled(w->out, NULL, time, r->id);
		else
			w->error |= OTF2_EvtWriter_MpiIrecv(w->out, NULL, time, r->peer, comm,
				r->tag, r->received, r->id);
		break;
	case REQUEST_COLL:
		if (comm == NONE || region_infos[r->region].collective == COLLECTIVE_NONE)
			break;
		if (r->place)
			OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SEQ, r->place);
		if (region_infos[r->region].neighbours)
			OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_NEIGHBOURS, 1);
		w->error |= OTF2_EvtWriter_NonBlockingCollectiveComplete(w->out, w->attributes,
			time, region_infos[r->region].collective, comm, root_of(r->peer), r->sent,
			r->received, r->id);
		break;
	case REQUEST_RMA:
		window = window_of(w, r->handle);
		if (window != NONE)
			w->error |= OTF2_EvtWriter_RmaOpCompleteNonBlocking(w->out, NULL, time,
				window, r->id + 1);
		break;
	case REQUEST_IO:
		handle = handle_of(w, r->handle);
		if (handle)
			w->error |= OTF2_EvtWriter_IoOperationComplete(w->out, NULL, time,
				handle->number, r->cancelled ? 0 : r->received, IO_ID(r));
		break;
	}
}

void payload_enter(struct writer *w, const struct group *g, const struct entry *e, uint64_t time)
{
	const uint64_t *rec = e->rec;

	if (entry_is_io(e)) {
		io_begin(w, g, e, time);
		target_begin(w, e, time);
		return;
	}
	if (e->nrequests && !entry_completes(e)) {
		for (uint32_t i = 0; i < e->nrequests; i++)
			request_posted(w, e, &g->requests[e->first_request + i], time);
		check_messages(w, g, e);
		return;
	}
	switch (e->type) {
	case SPOOL_P2P:
	case SPOOL_P2P_LONG:
		if (region_infos[e->region].p2p == REQUEST_SEND)
			send_blocking(w, rec, e->type == SPOOL_P2P ? (uint32_t)rec[4] : rec[4],
				time);
		break;
	case SPOOL_SENDRECV: send_blocking(w, rec, rec[4], time); break;
	case SPOOL_COLL:
	case SPOOL_COLL_FULL:
		if (is_collective(w, e))
			w->error |= OTF2_EvtWriter_MpiCollectiveBegin(w->out, NULL, time);
		break;
	case SPOOL_RMA:
		if (is_fence(w, e))
			w->error |= OTF2_EvtWriter_RmaCollectiveBegin(w->out, NULL, time);
		else
			rma_begin(w, e, 0, time);
		rma_peers(w, e, time);
		break;
	}
}

void payload_leave(struct writer *w, const struct group *g, const struct entry *e, uint64_t time)
{
	const uint64_t *rec = e->rec;

	if (entry_is_io(e)) {
		target_end(w, e, time);
		io_end(w, g, e, time);
		return;
	}
	if (e->nrequests) {
		for (uint32_t i = 0; entry_completes(e) && i < e->nrequests; i++)
			request_completed(w, &g->requests[e->first_request + i], time);
		if (entry_completes(e))
			check_messages(w, g, e);
		return;
	}
	switch (e->type) {
	case SPOOL_P2P:
	case SPOOL_P2P_LONG:
		if (region_infos[e->region].p2p == REQUEST_RECV)
			recv_blocking(w, rec, rec[3],
				e->type == SPOOL_P2P ? (uint32_t)rec[4] : rec[4], time);
		check_messages(w, g, e);
		break;
	case SPOOL_SENDRECV:
		recv_blocking(w, rec, rec[5], rec[6], time);
		check_messages(w, g, e);
		break;
	case SPOOL_COLL:
	case SPOOL_COLL_FULL:
		if (is_collective(w, e))
			collective_end(w, e, time);
		break;
	case SPOOL_RMA:
		if (is_fence(w, e))
			w->error |= OTF2_EvtWriter_RmaCollectiveEnd(w->out, NULL, time,
				OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS,
				window_of(w, spool_a(e->rec[0])), OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
		break;
	}
}
