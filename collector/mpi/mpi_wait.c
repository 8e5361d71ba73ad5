/*
 * mpi_wait.c - the Wait and Test families, Start and Request_free. MPI overwrites a completed
 * request's handle, so handles are copied before the call. The statuses have the facts of received
 * messages, so we pass our own where the program ignores them. Both are on the stack; for more than
 * WAIT_INLINE requests they are in mapped memory, never in malloc's, which a program may have
 * replaced.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "core/fold.h"
#include "mpi/mpi_request.h"
#include "core/sys.h"

#define WAIT_INLINE 64

/* The requests of one call, and where their statuses go. */
struct wait_call {
	struct span span;
	const void *requests; /* the program's */
	int count;
	mpi_handle *handles; /* as they were before the call; NULL: nothing will be reported */
	void *statuses;	     /* for the real function */
	void *mapped;	     /* NULL unless count > WAIT_INLINE */
	mpi_handle own_handles[WAIT_INLINE];
	struct status_room own_statuses[WAIT_INLINE];
};

static size_t waiting_bytes(const struct wait_call *waiting)
{
	return (size_t)waiting->count * (sizeof(mpi_handle) + sizeof(struct status_room));
}

/* Finds room for the copies; leaves handles NULL where there is none. */
static void *waiting_room(struct wait_call *waiting)
{
	int saved = errno;
	void *room;

	if (likely(waiting->count <= WAIT_INLINE)) {
		waiting->handles = waiting->own_handles;
		return waiting->own_statuses;
	}
	room = sys_map(waiting_bytes(waiting), MAP_PRIVATE);
	errno = saved;
	if (room == MAP_FAILED)
		return NULL;
	waiting->mapped = room;
	waiting->handles = room;
	return waiting->handles + waiting->count;
}

/* Begins a call on `count` requests that fills `nstatuses` statuses at `statuses`. */
static inline __attribute__((always_inline)) void waiting_begin(struct wait_call *waiting,
	struct thread *self, unsigned region, int count, const void *requests, void *statuses,
	int nstatuses)
{
	void *own;

	waiting->span = span_begin(self, region, 0);
	waiting->requests = requests;
	waiting->statuses = statuses;
	waiting->count = count;
	waiting->handles = NULL;
	waiting->mapped = NULL;
	if (unlikely(count < 0 || !requests))
		return;
	own = waiting_room(waiting);
	if (unlikely(!own))
		return;
	for (int i = 0; i < count; i++)
		waiting->handles[i] = handle_at(requests, i);
	if ((uintptr_t)statuses == tacho_abi.status_ignore) {
		memset(own, 0, (size_t)nstatuses * sizeof(struct status_room));
		waiting->statuses = own;
	}
}

/* Completions on their way into a record. */
struct done {
	unsigned n, nwords;
	bool is_wide; /* source and tag too */
	uint64_t words[2 * WAIT_INLINE];
};

static uint32_t done_bytes(const struct recv_status *arrival, int ret)
{
	if (unlikely(arrival->cancelled || ret != 0))
		return SPOOL_BYTES_UNKNOWN;
	return arrival->bytes < SPOOL_BYTES_HUGE ? (uint32_t)arrival->bytes : SPOOL_BYTES_HUGE;
}

/* Adds one; what does not fit any more becomes a record before the call's. */
static inline void done_add(struct wait_call *waiting, struct done *done, mpi_handle request,
	const void *status, int ret)
{
	struct recv_status arrival = status_read(status);

	if (unlikely(done->n == WAIT_INLINE)) {
		span_record(waiting->span.self, SPOOL_DONE_MORE, waiting->span.region, done->n,
			done->words, done->nwords);
		done->n = done->nwords = 0;
	}
	done->words[done->nwords++] = spool_pair(request_number(request),
		done_bytes(&arrival, ret));
	if (done->is_wide)
		done->words[done->nwords++] = spool_pair((uint32_t)peer_number(arrival.source),
			(uint32_t)arrival.tag);
	done->n++;
}

/*
 * After an error only what MPI took away has completed, and indices may never
 * have been written.
 */
static inline bool has_completed(const struct wait_call *waiting, int i, int ret)
{
	mpi_handle handle;

	if (unlikely(i < 0 || i >= waiting->count))
		return false;
	handle = handle_key(waiting->handles[i]);
	if (handle == tacho_abi.request_null)
		return false;
	if (unlikely(ret != 0) &&
		handle_key(handle_at(waiting->requests, i)) != tacho_abi.request_null)
		return false;
	return request_complete(handle);
}

/*
 * Ends the call: `n` requests completed, those at `indices` (NULL: the first
 * n); the statuses are in the same order.
 */
static inline void waiting_leave(struct wait_call *waiting, int n, const int *indices, int ret)
{
	const char *status = waiting->statuses;
	struct done done;
	unsigned type;

	if (unlikely(n > waiting->count))
		n = 0; /* an error left it unwritten */
	if (unlikely(!waiting->handles)) {
		span_leave(&waiting->span, SPOOL_CALL, 0, NULL, 0);
		return;
	}
	done.n = done.nwords = 0;
	done.is_wide = n > WAIT_INLINE ||
		atomic_load_explicit(&tacho_wildcards, memory_order_relaxed);
	for (int i = 0; i < n; i++, status += tacho_abi.status_bytes) {
		int at = indices ? indices[i] : i;

		if (has_completed(waiting, at, ret))
			done_add(waiting, &done, handle_key(waiting->handles[at]), status, ret);
	}
	type = done.is_wide ? SPOOL_DONE : SPOOL_DONE_SHORT;
	if (!done.n && ret == 0)
		span_leave_fold(&waiting->span, 0, 0, type, 0, NULL, 0);
	else
		span_leave(&waiting->span, type, done.n, done.words, done.nwords);
	if (unlikely(waiting->mapped)) {
		int saved = errno;

		sys_munmap(waiting->mapped, waiting_bytes(waiting));
		errno = saved;
	}
}

WRAPPER(MPI_Wait, (void *request, void *status))
{
	struct thread *self = thread_self(REGION_MPI_Wait);
	struct wait_call waiting;
	int ret;

	if (unlikely(!self))
		return MPI_REAL(MPI_Wait)(request, status);
	waiting_begin(&waiting, self, REGION_MPI_Wait, 1, request, status, 1);
	ret = MPI_REAL(MPI_Wait)(request, waiting.statuses);
	waiting_leave(&waiting, 1, NULL, ret);
	return ret;
}

WRAPPER(MPI_Waitall, (int count, void *requests, void *statuses))
{
	struct thread *self = thread_self(REGION_MPI_Waitall);
	struct wait_call waiting;
	int ret;

	if (unlikely(!self))
		return MPI_REAL(MPI_Waitall)(count, requests, statuses);
	waiting_begin(&waiting, self, REGION_MPI_Waitall, count, requests, statuses, count);
	ret = MPI_REAL(MPI_Waitall)(count, requests, waiting.statuses);
	waiting_leave(&waiting, count, NULL, ret);
	return ret;
}

WRAPPER(MPI_Waitany, (int count, void *requests, int *index, void *status))
{
	struct thread *self = thread_self(REGION_MPI_Waitany);
	struct wait_call waiting;
	int ret;

	if (unlikely(!self))
		return MPI_REAL(MPI_Waitany)(count, requests, index, status);
	waiting_begin(&waiting, self, REGION_MPI_Waitany, count, requests, status, 1);
	ret = MPI_REAL(MPI_Waitany)(count, requests, index, waiting.statuses);
	waiting_leave(&waiting, *index >= 0 && *index < count, index, ret);
	return ret;
}

WRAPPER(MPI_Waitsome, (int count, void *requests, int *outcount, int *indices, void *statuses))
{
	struct thread *self = thread_self(REGION_MPI_Waitsome);
	struct wait_call waiting;
	int ret;

	if (unlikely(!self))
		return MPI_REAL(MPI_Waitsome)(count, requests, outcount, indices, statuses);
	waiting_begin(&waiting, self, REGION_MPI_Waitsome, count, requests, statuses, count);
	ret = MPI_REAL(MPI_Waitsome)(count, requests, outcount, indices, waiting.statuses);
	waiting_leave(&waiting, *outcount, indices, ret);
	return ret;
}

WRAPPER(MPI_Test, (void *request, int *flag, void *status))
{
	struct thread *self = thread_self(REGION_MPI_Test);
	struct wait_call waiting;
	int ret;

	if (unlikely(!self))
		return MPI_REAL(MPI_Test)(request, flag, status);
	waiting_begin(&waiting, self, REGION_MPI_Test, 1, request, status, 1);
	ret = MPI_REAL(MPI_Test)(request, flag, waiting.statuses);
	waiting_leave(&waiting, *flag != 0, NULL, ret);
	return ret;
}

WRAPPER(MPI_Testall, (int count, void *requests, int *flag, void *statuses))
{
	struct thread *self = thread_self(REGION_MPI_Testall);
	struct wait_call waiting;
	int ret;

	if (unlikely(!self))
		return MPI_REAL(MPI_Testall)(count, requests, flag, statuses);
	waiting_begin(&waiting, self, REGION_MPI_Testall, count, requests, statuses, count);
	ret = MPI_REAL(MPI_Testall)(count, requests, flag, waiting.statuses);
	waiting_leave(&waiting, *flag ? count : 0, NULL, ret);
	return ret;
}

WRAPPER(MPI_Testany, (int count, void *requests, int *index, int *flag, void *status))
{
	struct thread *self = thread_self(REGION_MPI_Testany);
	struct wait_call waiting;
	int ret;

	if (unlikely(!self))
		return MPI_REAL(MPI_Testany)(count, requests, index, flag, status);
	waiting_begin(&waiting, self, REGION_MPI_Testany, count, requests, status, 1);
	ret = MPI_REAL(MPI_Testany)(count, requests, index, flag, waiting.statuses);
	waiting_leave(&waiting, *flag && *index >= 0 && *index < count, index, ret);
	return ret;
}

WRAPPER(MPI_Testsome, (int count, void *requests, int *outcount, int *indices, void *statuses))
{
	struct thread *self = thread_self(REGION_MPI_Testsome);
	struct wait_call waiting;
	int ret;

	if (unlikely(!self))
		return MPI_REAL(MPI_Testsome)(count, requests, outcount, indices, statuses);
	waiting_begin(&waiting, self, REGION_MPI_Testsome, count, requests, statuses, count);
	ret = MPI_REAL(MPI_Testsome)(count, requests, outcount, indices, waiting.statuses);
	waiting_leave(&waiting, *outcount, indices, ret);
	return ret;
}

/* Another thread may complete a request as soon as it is started: mark first. */
static inline void start_all(struct span *span, int count, const void *requests)
{
	for (int i = 0; span_is_on(span) && i < count; i++)
		request_start(handle_at(requests, i));
}

static inline void start_leave(struct span *span, int count, const void *requests, int ret)
{
	for (int i = 0; span_is_on(span) && ret == 0 && i < count; i++)
		request_record_start(span, handle_at(requests, i));
	span_leave(span, SPOOL_CALL, 0, NULL, 0);
}

WRAPPER(MPI_Start, (void *request))
{
	struct span span = span_enter(REGION_MPI_Start, 0);
	int ret;

	start_all(&span, 1, request);
	ret = MPI_REAL(MPI_Start)(request);
	start_leave(&span, 1, request, ret);
	return ret;
}

WRAPPER(MPI_Startall, (int count, void *requests))
{
	struct span span = span_enter(REGION_MPI_Startall, 0);
	int ret;

	start_all(&span, count, requests);
	ret = MPI_REAL(MPI_Startall)(count, requests);
	start_leave(&span, count, requests, ret);
	return ret;
}

WRAPPER(MPI_Request_free, (void *request))
{
	struct span span = span_enter(REGION_MPI_Request_free, 0);
	mpi_handle handle = handle_key(handle_at(request, 0));
	bool was_active = span_is_on(&span) && handle != tacho_abi.request_null &&
		request_forget(handle);
	int ret = MPI_REAL(MPI_Request_free)(request);
	uint64_t word = spool_pair(request_number(handle), SPOOL_BYTES_UNKNOWN);

	if (ret == 0 && was_active)
		span_leave(&span, SPOOL_DONE_SHORT, 1, &word, 1);
	else
		span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	return ret;
}
