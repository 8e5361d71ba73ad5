/* golden_events.c - see golden.h. The events of a worked case. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

static const struct {
	const char *name;
	OTF2_CollectiveOp op;
	const char *region;
} collectives[] = {
	{ "barrier", OTF2_COLLECTIVE_OP_BARRIER, "MPI_Barrier" },
	{ "bcast", OTF2_COLLECTIVE_OP_BCAST, "MPI_Bcast" },
	{ "scatter", OTF2_COLLECTIVE_OP_SCATTER, "MPI_Scatter" },
	{ "reduce", OTF2_COLLECTIVE_OP_REDUCE, "MPI_Reduce" },
	{ "gather", OTF2_COLLECTIVE_OP_GATHER, "MPI_Gather" },
	{ "allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, "MPI_Allreduce" },
	{ "allgather", OTF2_COLLECTIVE_OP_ALLGATHER, "MPI_Allgather" },
	{ "alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, "MPI_Alltoall" },
	{ "scan", OTF2_COLLECTIVE_OP_SCAN, "MPI_Scan" },
	{ "neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, "MPI_Neighbor_alltoall" },
	{ "neighbor_allgather", OTF2_COLLECTIVE_OP_ALLGATHER, "MPI_Neighbor_allgather" },
};

const struct golden_attribute golden_attributes[ATTRIBUTES] = {
	{ "tacho.step", OTF2_TYPE_UINT64 },
	{ "tacho.correlation", OTF2_TYPE_UINT64 },
	{ "tacho.device", OTF2_TYPE_UINT64 },
	{ "tacho.stream", OTF2_TYPE_UINT64 },
	{ "tacho.event", OTF2_TYPE_UINT64 },
	{ "tacho.comm", OTF2_TYPE_UINT64 },
	{ "tacho.seq", OTF2_TYPE_UINT64 },
	{ "tacho.group", OTF2_TYPE_UINT64 },
	{ "tacho.op", OTF2_TYPE_STRING },
	{ "tacho.bytes", OTF2_TYPE_UINT64 },
	{ "tacho.root", OTF2_TYPE_UINT64 },
	{ "tacho.peer", OTF2_TYPE_UINT64 },
	{ "tacho.sync", OTF2_TYPE_UINT64 },
	{ "tacho.wake", OTF2_TYPE_UINT64 },
	{ "tacho.cut", OTF2_TYPE_UINT64 },
	{ "tacho.tag", OTF2_TYPE_UINT64 },
	{ "tacho.algorithm", OTF2_TYPE_STRING },
	{ "tacho.protocol", OTF2_TYPE_STRING },
	{ "tacho.lost", OTF2_TYPE_UINT64 },
	{ "tacho.calls", OTF2_TYPE_UINT64 },
	{ "tacho.total", OTF2_TYPE_UINT64 },
	{ "tacho.outer", OTF2_TYPE_UINT64 },
	{ "tacho.sent", OTF2_TYPE_UINT64 },
	{ "tacho.received", OTF2_TYPE_UINT64 },
	{ "tacho.partner", OTF2_TYPE_UINT64 },
	{ "tacho.message", OTF2_TYPE_UINT64 },
	{ "tacho.samples", OTF2_TYPE_UINT64 },
};

uint32_t golden_string(struct writer *w, const char *text)
{
	for (int i = 0; i < w->nnames; i++)
		if (strcmp(w->names[i], text) == 0)
			return i;
	w->names[w->nnames] = strdup(text);
	return w->nnames++;
}

static uint32_t region_of(struct writer *w, const char *name)
{
	uint32_t i = golden_string(w, name);

	w->is_region[i] = true;
	return i;
}

static uint64_t time_of(const struct writer *w, const char *text)
{
	return strtoull(text, NULL, 10) + w->shift;
}

static void seen(struct writer *w, uint64_t t)
{
	w->first = t < w->first ? t : w->first;
	w->last = t > w->last ? t : w->last;
}

/* Adds "tacho.NAME" with its value, a number or a text. */
static void attribute_add(struct writer *w, OTF2_AttributeList *list, const char *name,
	const char *value)
{
	for (int i = 0; value && i < ATTRIBUTES; i++)
		if (strcmp(golden_attributes[i].name + 6, name) == 0) {
			if (golden_attributes[i].type == OTF2_TYPE_STRING)
				OTF2_AttributeList_AddStringRef(list, i, golden_string(w, value));
			else
				OTF2_AttributeList_AddUint64(list, i, strtoull(value, NULL, 10));
		}
}

static void enter_with(struct writer *w, uint64_t t, const char *name, OTF2_AttributeList *list)
{
	seen(w, t);
	OTF2_EvtWriter_Enter(w->events, list, t, region_of(w, name));
}

/* "step:3" is region step with its number, "phase:train" is region train. */
static void enter(struct writer *w, uint64_t t, const char *name)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	seen(w, t);
	if (strncmp(name, "step:", 5) == 0)
		OTF2_AttributeList_AddUint64(list, 0, strtoull(name + 5, NULL, 10));
	OTF2_EvtWriter_Enter(w->events, list, t,
		region_of(w, strncmp(name, "step:", 5) == 0 ? "step:" : name));
	OTF2_AttributeList_Delete(list);
}

/* enter T NAME calls N: the call represents N calls. */
static void enter_sums(struct writer *w, char **words)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	attribute_add(w, list, "calls", words[4]);
	enter_with(w, time_of(w, words[1]), words[2], list);
	OTF2_AttributeList_Delete(list);
}

static void leave(struct writer *w, uint64_t t, const char *name)
{
	seen(w, t);
	OTF2_EvtWriter_Leave(w->events, NULL, t,
		region_of(w, strncmp(name, "step:", 5) == 0 ? "step:" : name));
}

/* leave T step:N samples S */
static void leave_sampled(struct writer *w, uint64_t t, const char *name, const char *samples)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	seen(w, t);
	attribute_add(w, list, "samples", samples);
	OTF2_EvtWriter_Leave(w->events, list, t,
		region_of(w, strncmp(name, "step:", 5) == 0 ? "step:" : name));
	OTF2_AttributeList_Delete(list);
}

static const char *word_after(char **words, int n, const char *key)
{
	for (int i = 0; i + 1 < n; i++)
		if (strcmp(words[i], key) == 0)
			return words[i + 1];
	return NULL;
}

/*
 * capture T on|off|lost|summed [calls N [total NS]]: the capture window opens or closes, or events are lost from then
 * on; so many launches since the last change, and their time without any switching.
 */
static void capture(struct writer *w, uint64_t t, char **words, int n)
{
	static const char *const names[] = { "calls", "total" };
	OTF2_AttributeList *list = OTF2_AttributeList_New();
	const char *how = words[2];

	seen(w, t);
	if (strcmp(how, "lost") == 0)
		attribute_add(w, list, "lost", "1");
	if (strcmp(how, "summed") == 0)
		attribute_add(w, list, "lost", "2");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (word_after(words, n, names[i]))
			attribute_add(w, list, names[i], word_after(words, n, names[i]));
	OTF2_EvtWriter_MeasurementOnOff(w->events, list, t,
		strcmp(how, "on") == 0 ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
	OTF2_AttributeList_Delete(list);
}

/* sum T NAME calls N total NS [outer NS] [sent BYTES] [received BYTES] [op NAME] [bytes BYTES] */
static void sum(struct writer *w, uint64_t t, char **words, int n)
{
	static const char *const names[] = { "calls", "total", "outer", "sent", "received", "op",
		"bytes" };
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	seen(w, t);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		attribute_add(w, list, names[i], word_after(words, n, names[i]));
	enter_with(w, t, words[2], list);
	leave(w, t, words[2]);
	OTF2_AttributeList_Delete(list);
}

/* What the counters of the thread showed. */
static void count(struct writer *w, uint64_t t, const char *instructions, const char *cycles)
{
	const OTF2_Type types[] = { OTF2_TYPE_UINT64, OTF2_TYPE_UINT64 };
	OTF2_MetricValue values[2] = { { .unsigned_int = strtoull(instructions, NULL, 10) },
		{ .unsigned_int = strtoull(cycles, NULL, 10) } };

	seen(w, t);
	w->has_counters = true;
	OTF2_EvtWriter_Metric(w->events, NULL, t, 0, 2, types, values);
}

/* A rank, or of an inter-communicator "self" and "idle" in the root's group. */
static uint32_t root_of(const char *root)
{
	return !root			    ? OTF2_COLLECTIVE_ROOT_NONE
		: strcmp(root, "self") == 0 ? OTF2_COLLECTIVE_ROOT_SELF
		: strcmp(root, "idle") == 0 ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
					    : (uint32_t)atoi(root);
}

static void collective(struct writer *w, uint64_t begin, uint64_t end, const char *op,
	const char *root, uint64_t bytes, uint32_t comm, const char *place)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	attribute_add(w, list, "seq", place);
	for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++) {
		if (strcmp(collectives[i].name, op) != 0)
			continue;
		enter_with(w, begin, collectives[i].region, list);
		OTF2_EvtWriter_MpiCollectiveBegin(w->events, NULL, begin);
		OTF2_EvtWriter_MpiCollectiveEnd(w->events, NULL, end, collectives[i].op, comm,
			root_of(root), bytes, bytes);
		leave(w, end, collectives[i].region);
	}
	OTF2_AttributeList_Delete(list);
}

/* icoll N: a collective is begun; collected N OP: and waited for. False: none of these. */
static bool non_blocking_collective(struct writer *w, uint64_t begin, uint64_t end, char **words,
	int n, uint64_t bytes)
{
	const char *icoll = word_after(words, n, "icoll"), *id = word_after(words, n, "collected"),
		   *op = id ? word_after(words, n, id) : NULL, *call = word_after(words, n, "call");

	if (icoll && call) {
		enter(w, begin, call);
		OTF2_EvtWriter_NonBlockingCollectiveRequest(w->events, NULL, begin,
			strtoull(icoll, NULL, 10));
		leave(w, end, call);
		return true;
	}
	for (size_t i = 0; op && i < sizeof(collectives) / sizeof(collectives[0]); i++) {
		if (strcmp(collectives[i].name, op) != 0)
			continue;
		enter(w, begin, "MPI_Wait");
		OTF2_EvtWriter_NonBlockingCollectiveComplete(w->events, NULL, end,
			collectives[i].op, COMM_WORLD, OTF2_COLLECTIVE_ROOT_NONE, bytes, bytes,
			strtoull(id, NULL, 10));
		leave(w, end, "MPI_Wait");
		return true;
	}
	return false;
}

/*
 * isend RANK req N | irecv N | sent N | received RANK req N: a post or a wait. False: none of
 * these.
 */
static bool non_blocking(struct writer *w, uint64_t begin, uint64_t end, char **words, int n,
	uint32_t tag, uint64_t size, bool is_call)
{
	const char *isend = word_after(words, n, "isend"), *irecv = word_after(words, n, "irecv");
	const char *sent = word_after(words, n, "sent"),
		   *received = word_after(words, n, "received");
	const char *request = word_after(words, n, "req");
	const char *call = word_after(words, n, "call");
	uint64_t id = request ? strtoull(request, NULL, 10) : 0;

	if (!isend && !irecv && !sent && !received)
		return false;
	call = call ? call : isend ? "MPI_Isend" : irecv ? "MPI_Irecv" : "MPI_Wait";
	if (is_call)
		enter(w, begin, call);
	if (isend)
		OTF2_EvtWriter_MpiIsend(w->events, NULL, begin, (uint32_t)atoi(isend), 0, tag, size,
			id);
	if (irecv)
		OTF2_EvtWriter_MpiIrecvRequest(w->events, NULL, begin, strtoull(irecv, NULL, 10));
	if (sent)
		OTF2_EvtWriter_MpiIsendComplete(w->events, NULL, end, strtoull(sent, NULL, 10));
	if (received)
		OTF2_EvtWriter_MpiIrecv(w->events, NULL, end, (uint32_t)atoi(received), 0, tag,
			size, id);
	if (is_call)
		leave(w, end, call);
	return true;
}

/* probe RANK: the message was found, and is received later. */
static void probe(struct writer *w, uint64_t begin, uint64_t end, const char *from, const char *tag,
	const char *call)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	attribute_add(w, list, "comm", "0");
	attribute_add(w, list, "peer", from);
	attribute_add(w, list, "tag", tag ? tag : "0");
	enter_with(w, begin, call ? call : "MPI_Probe", list);
	OTF2_AttributeList_Delete(list);
	leave(w, end, call ? call : "MPI_Probe");
}

/* win post|start|complete|wait RANK...: of the window of all ranks, with those. */
static void window_call(struct writer *w, uint64_t begin, uint64_t end, char **words, int n)
{
	bool out = strcmp(words[1], "post") == 0 || strcmp(words[1], "complete") == 0;
	char call[64];

	w->has_window = true;
	snprintf(call, sizeof(call), "MPI_Win_%s", words[1]);
	enter(w, begin, call);
	for (int i = 2; i < n; i++)
		OTF2_EvtWriter_RmaSync(w->events, NULL, begin, 0, (uint32_t)atoi(words[i]),
			out ? OTF2_RMA_SYNC_TYPE_NOTIFY_OUT : OTF2_RMA_SYNC_TYPE_NOTIFY_IN);
	leave(w, end, call);
}

/* `on inter`: over the inter-communicator of even and odd ranks; `on self`, `on one`: of rank 0. */
static uint32_t comm_of(struct writer *w, char **words, int n)
{
	const char *on = word_after(words, n, "on");
	uint32_t comm = !on		  ? COMM_WORLD
		: strcmp(on, "self") == 0 ? COMM_SELF
		: strcmp(on, "one") == 0  ? COMM_ONE
					  : COMM_INTER;

	w->has_comm[comm] = true;
	return comm;
}

/*
 * An MPI call: a collective, a message to or from a rank (tag: the message's name), a probe, or
 * none of these.
 */
static void mpi_call(struct writer *w, uint64_t begin, uint64_t end, char **words, int n,
	bool is_call)
{
	const char *op = word_after(words, n, "coll"), *to = word_after(words, n, "send");
	const char *from = word_after(words, n, "recv"), *tag = word_after(words, n, "tag"),
		   *bytes = word_after(words, n, "bytes");
	const char *call = word_after(words, n, "call");
	uint64_t size = bytes ? strtoull(bytes, NULL, 10) : 8;
	uint32_t number = tag ? (uint32_t)atoi(tag) : 0, comm = comm_of(w, words, n);

	if (n > 1 && strcmp(words[0], "win") == 0) {
		window_call(w, begin, end, words, n);
		return;
	}
	if (non_blocking_collective(w, begin, end, words, n, size))
		return;
	if (op) {
		collective(w, begin, end, op, word_after(words, n, "root"), size, comm,
			word_after(words, n, "seq"));
		return;
	}
	if (non_blocking(w, begin, end, words, n, number, size, is_call))
		return;
	if (word_after(words, n, "probe")) {
		probe(w, begin, end, word_after(words, n, "probe"), tag, call);
		return;
	}
	call = call ? call : to ? "MPI_Send" : from ? "MPI_Recv" : "MPI_Comm_rank";
	if (is_call)
		enter(w, begin, call);
	if (to)
		OTF2_EvtWriter_MpiSend(w->events, NULL, begin, (uint32_t)atoi(to), comm, number,
			size);
	if (from)
		OTF2_EvtWriter_MpiRecv(w->events, NULL, end, (uint32_t)atoi(from), comm, number,
			size);
	if (is_call)
		leave(w, end, call);
}

/*
 * What a runtime call does, each a call of its own inside of it:
 * launch:CORR:DEVICE:STREAM record:EVENT:DEVICE:STREAM wait:EVENT:DEVICE:STREAM
 * sync:DEVICE:STREAM sync:DEVICE sync esync:EVENT, and attributes of an NCCL
 * call of a group: nccl:GROUP:COMM:SEQ:OP:PEER.
 */
static void runtime_call(struct writer *w, uint64_t begin, uint64_t end, const char *what)
{
	static const struct {
		const char *word, *region, *keys[5];
		bool lasts;
	} calls[] = {
		{ "launch", "cudaLaunchKernel", { "correlation", "device", "stream" }, false },
		{ "record", "cudaEventRecord", { "event", "device", "stream" }, false },
		{ "wait", "cudaStreamWaitEvent", { "event", "device", "stream" }, false },
		{ "sync", "cudaStreamSynchronize", { "device", "stream" }, true },
		{ "dsync", "cudaDeviceSynchronize", { "device" }, true },
		{ "esync", "cudaEventSynchronize", { "event" }, true },
		{ "copy", "cudaMemcpy", { "correlation", "device", "stream" }, true },
		{ "async", "cudaMemcpyAsync", { "correlation", "device", "stream" }, false },
		{ "nccl", "ncclSend", { "group", "comm", "seq", "op", "peer" }, false },
	};
	char text[128], *rest, *word;

	snprintf(text, sizeof(text), "%s", what);
	word = strtok_r(text, ":", &rest);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		OTF2_AttributeList *list;

		if (strcmp(calls[i].word, word) != 0)
			continue;
		list = OTF2_AttributeList_New();
		for (int k = 0; k < 5 && calls[i].keys[k]; k++)
			attribute_add(w, list, calls[i].keys[k], strtok_r(NULL, ":", &rest));
		enter_with(w, begin, calls[i].region, list);
		OTF2_AttributeList_Delete(list);
		leave(w, calls[i].lasts ? end : begin, calls[i].region);
	}
}

/*
 * T0 T1 compute|nccl|memcpy [KEY VALUE]...: an activity of the present stream; keys are attributes,
 * or name.
 */
static void activity(struct writer *w, uint64_t begin, uint64_t end, char **words, int n)
{
	const char *name = word_after(words, n, "name");
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	if (!name)
		name = strcmp(words[2], "compute") == 0 ? "kernel"
			: strcmp(words[2], "nccl") == 0 ? "ncclDevKernel_AllReduce"
							: "memcpy_h2d";
	for (int i = 3; i + 1 < n; i += 2)
		attribute_add(w, list, words[i], words[i + 1]);
	enter_with(w, begin, name, list);
	OTF2_AttributeList_Delete(list);
	leave(w, end, name);
}

/*
 * T0 T1 hand wait|wake|read|write OBJECT [partner LOCATION] [message NUMBER]: through a semaphore, or
 * through a pipe or socket.
 */
static void handover(struct writer *w, uint64_t begin, uint64_t end, char **words, int n)
{
	bool pipe = strcmp(words[3], "read") == 0 || strcmp(words[3], "write") == 0;
	bool wakes = strcmp(words[3], "wake") == 0 || strcmp(words[3], "write") == 0;
	const char *region = pipe ? words[3] : wakes ? "sem_post" : "sem_wait";
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	attribute_add(w, list, "sync", words[4]);
	attribute_add(w, list, "wake", wakes ? "1" : "0");
	attribute_add(w, list, "partner", word_after(words, n, "partner"));
	attribute_add(w, list, "message", word_after(words, n, "message"));
	enter_with(w, begin, region, list);
	OTF2_AttributeList_Delete(list);
	leave(w, end, region);
}

/*
 * file OP: MPI_File_OP on the file that all ranks share; alone: on one of the rank's own. iOP
 * posts, done waits for that.
 */
static void file_call(struct writer *w, uint64_t begin, uint64_t end, char **words, int n)
{
	const char *op = words[3], *request = word_after(words, n, "req");
	bool done = strcmp(op, "done") == 0, posts = op[0] == 'i', write = strstr(op, "write");
	uint64_t id = request ? strtoull(request, NULL, 10) : 0;
	OTF2_IoHandleRef handle = n > 4 && strcmp(words[4], "alone") == 0;
	char call[64];

	w->has_file = true;
	snprintf(call, sizeof(call), done ? "MPI_Wait" : "MPI_File_%s", op);
	enter(w, begin, call);
	if (strcmp(op, "open") == 0)
		OTF2_EvtWriter_IoCreateHandle(w->events, NULL, end, handle,
			OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_CREATION_FLAG_NONE,
			OTF2_IO_STATUS_FLAG_NONE);
	else if (strcmp(op, "close") == 0)
		OTF2_EvtWriter_IoDestroyHandle(w->events, NULL, end, handle);
	else if (!done)
		OTF2_EvtWriter_IoOperationBegin(w->events, NULL, begin, handle,
			strcmp(op, "sync") == 0 ? OTF2_IO_OPERATION_MODE_FLUSH
				: write		? OTF2_IO_OPERATION_MODE_WRITE
						: OTF2_IO_OPERATION_MODE_READ,
			(strstr(op, "_all") ? OTF2_IO_OPERATION_FLAG_COLLECTIVE : 0) |
				(posts ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING : 0),
			8, id);
	if (!posts && strcmp(op, "open") != 0 && strcmp(op, "close") != 0)
		OTF2_EvtWriter_IoOperationComplete(w->events, NULL, end, handle, 8, id);
	leave(w, end, call);
}

static void interval(struct writer *w, char **words, int n)
{
	uint64_t begin = time_of(w, words[0]), end = time_of(w, words[1]);
	static const struct {
		const char *kind, *region;
	} calls[] = {
		{ "io", "read" },
		{ "cuda", "cudaDeviceSynchronize" },
		{ "wait", "sem_wait" },
	};

	seen(w, begin);
	seen(w, end);
	if (strcmp(words[2], "compute") == 0 || strcmp(words[2], "nccl") == 0 ||
		strcmp(words[2], "memcpy") == 0) {
		activity(w, begin, end, words, n);
		return;
	}
	if (strcmp(words[2], "hand") == 0) {
		handover(w, begin, end, words, n);
		return;
	}
	if (strcmp(words[2], "cuda") == 0 && n > 3) {
		enter(w, begin, "cudaCall");
		for (int i = 3; i < n; i++)
			runtime_call(w, begin, i == n - 1 ? end : begin, words[i]);
		leave(w, end, "cudaCall");
		return;
	}
	if (strcmp(words[2], "file") == 0 && n > 3)
		file_call(w, begin, end, words, n);
	if (strcmp(words[2], "mpi") == 0)
		mpi_call(w, begin, end, words + 3, n - 3, true);
	if (strcmp(words[2], "op") == 0)
		mpi_call(w, begin, end, words + 3, n - 3, false);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(words[2], calls[i].kind) == 0) {
			enter(w, begin, calls[i].region);
			leave(w, end, calls[i].region);
		}
}

void golden_rank_end(struct writer *w)
{
	if (!w->events)
		return;
	OTF2_EvtWriter_GetNumberOfEvents(w->events,
		w->in_extra ? &w->extras[w->nextras - 1].count : &w->counts[w->ranks - 1]);
	OTF2_Archive_CloseEvtWriter(w->archive, w->events);
	w->events = NULL;
}

static void rank_begin(struct writer *w, char **words, int n)
{
	const char *node = word_after(words, n, "node");

	golden_rank_end(w);
	w->nodes[w->ranks] = node ? atoi(node) : 0;
	for (int i = 0; i < n; i++)
		if (strcmp(words[i], "clock") == 0)
			for (int k = i + 1; k < n && w->clocks[w->ranks].n < 4; k++)
				w->clocks[w->ranks].at[w->clocks[w->ranks].n++] = atof(words[k]);
	w->at = w->ranks;
	w->in_extra = false;
	w->events = OTF2_Archive_GetEvtWriter(w->archive, w->ranks++);
}

/*
 * stream DEVICE NUMBER [uuid U] [gpu NAME] [inside yes] [kind default|blocking|non-blocking] | thread NAME |
 * child NAME: of the rank above.
 */
static void extra_begin(struct writer *w, char **words, int n)
{
	struct extra *extra = &w->extras[w->nextras];
	const char *uuid = word_after(words, n, "uuid"), *order = word_after(words, n, "kind"),
		   *gpu = word_after(words, n, "gpu");

	golden_rank_end(w);
	extra->kind = words[0][0];
	extra->process = extra->kind == 'c' ? 1000 + w->nextras : w->at;
	w->child_of[w->nextras] = w->at;
	extra->inside = word_after(words, n, "inside");
	snprintf(extra->uuid, sizeof(extra->uuid), "%s", uuid ? uuid : "");
	snprintf(extra->gpu, sizeof(extra->gpu), "%s", gpu ? gpu : "");
	for (char *c = extra->gpu; *c; c++)
		if (*c == '_')
			*c = ' ';
	snprintf(extra->order, sizeof(extra->order), "%s", order ? order : "");
	if (extra->kind == 's') {
		extra->device = (unsigned)atoi(words[1]);
		snprintf(extra->name, sizeof(extra->name), "CUDA[%u:%s]", extra->device, words[2]);
	} else {
		snprintf(extra->name, sizeof(extra->name), "%s", words[1]);
	}
	w->in_extra = true;
	w->events = OTF2_Archive_GetEvtWriter(w->archive, 1000 + w->nextras++);
}

/* expect WINDOW MODEL NAME VALUE | expect WINDOW time RANK:STATE VALUE */
static void expect(struct writer *w, char **words, int n)
{
	struct expectation *e = &w->expected[w->nexpected++];

	if (n < 5 || w->nexpected == MAX_EXPECTED) {
		w->nexpected--;
		return;
	}
	snprintf(e->window, sizeof(e->window), "%s", words[1]);
	snprintf(e->model, sizeof(e->model), "%s", words[2]);
	snprintf(e->name, sizeof(e->name), "%s", words[3]);
	e->value = strcmp(words[4], "null") == 0 ? NAN : atof(words[4]);
}

/* value T NTH NAME VALUE STEP */
static void value_keep(struct writer *w, char **words)
{
	char *at = w->values[w->at] + strlen(w->values[w->at]);

	snprintf(at, sizeof(w->values[w->at]) - (size_t)(at - w->values[w->at]), "%s %s %s %s %s\n",
		words[2], words[1], words[4], words[5], words[3]);
}

void golden_line(struct writer *w, char *line);

/* query VALUE SQL: its first row's one value. */
static void query_keep(struct writer *w, const char *line)
{
	int used = 0;
	double value = 0;

	if (w->nqueries < 32 && sscanf(line, "query %lf %n", &value, &used) == 1) {
		w->queries[w->nqueries].value = value;
		w->queries[w->nqueries++].sql = strdup(line + used);
	}
}

/* Copies a line, "{K}" becoming K + round. */
static void round_expand(char *to, size_t size, const char *from, unsigned round)
{
	size_t n = 0;
	unsigned k;
	int used;

	while (*from && n + 16 < size) {
		used = 0;
		if (sscanf(from, "{%u}%n", &k, &used) == 1 && used) {
			n += snprintf(to + n, size - n, "%u", k + round);
			from += used;
		} else {
			to[n++] = *from++;
		}
	}
	to[n] = '\0';
}

/* The lines up to `end`, once per round, each later than the one before. */
static void repeat_end(struct writer *w)
{
	char line[MAX_LINE];

	w->repeating = false;
	for (int k = 0; k < w->times; k++)
		for (int i = 0; i < w->nrepeated; i++) {
			w->shift = k * w->every;
			round_expand(line, sizeof(line), w->repeated[i], k);
			golden_line(w, line);
		}
	for (int i = 0; i < w->nrepeated; i++)
		free(w->repeated[i]);
	w->shift = w->nrepeated = 0;
}

/* repeat TIMES EVERY ... end. True: the line belongs to one. */
static bool repeat_take(struct writer *w, const char *line)
{
	if (sscanf(line, "repeat %d %" SCNu64, &w->times, &w->every) == 2) {
		w->repeating = true;
		return true;
	}
	if (!w->repeating)
		return false;
	if (strncmp(line, "end", 3) == 0)
		repeat_end(w);
	else if (w->nrepeated < 64)
		w->repeated[w->nrepeated++] = strdup(line);
	return true;
}

void golden_line(struct writer *w, char *line)
{
	char *words[MAX_WORDS];
	int n = 0;

	if (repeat_take(w, line))
		return;
	if (strncmp(line, "query ", 6) == 0) {
		query_keep(w, line);
		return;
	}

	for (char *word = strtok(line, " \t\n"); word && n < MAX_WORDS;
		word = strtok(NULL, " \t\n"))
		words[n++] = word;
	if (n == 0 || words[0][0] == '#')
		return;
	if (strcmp(words[0], "rank") == 0)
		rank_begin(w, words, n);
	else if (strcmp(words[0], "stream") == 0 || strcmp(words[0], "thread") == 0 ||
		strcmp(words[0], "child") == 0)
		extra_begin(w, words, n);
	else if (strcmp(words[0], "neighbours") == 0 && n == 2)
		snprintf(w->neighbours[w->at], sizeof(w->neighbours[w->at]), "%s", words[1]);
	else if (strcmp(words[0], "value") == 0 && n == 6)
		value_keep(w, words);
	else if (strcmp(words[0], "launch-latency") == 0)
		w->latency = atol(words[1]);
	else if (strcmp(words[0], "option") == 0 && n == 3)
		snprintf(w->options + strlen(w->options), sizeof(w->options) - strlen(w->options),
			" --%s %s", words[1], words[2]);
	else if (strcmp(words[0], "expect") == 0)
		expect(w, words, n);
	else if (strcmp(words[0], "fails") == 0)
		w->nfailing++;
	else if (strcmp(words[0], "elapsed") == 0)
		w->elapsed = strtoull(words[1], NULL, 10);
	else if (strcmp(words[0], "enter") == 0 && n > 4)
		enter_sums(w, words);
	else if (strcmp(words[0], "enter") == 0)
		enter(w, time_of(w, words[1]), words[2]);
	else if (strcmp(words[0], "capture") == 0)
		capture(w, time_of(w, words[1]), words, n);
	else if (strcmp(words[0], "sum") == 0)
		sum(w, time_of(w, words[1]), words, n);
	else if (strcmp(words[0], "count") == 0 && n > 3)
		count(w, time_of(w, words[1]), words[2], words[3]);
	else if (strcmp(words[0], "leave") == 0 && n > 4)
		leave_sampled(w, time_of(w, words[1]), words[2], words[4]);
	else if (strcmp(words[0], "leave") == 0)
		leave(w, time_of(w, words[1]), words[2]);
	else
		interval(w, words, n);
}
