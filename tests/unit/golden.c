/*
 * golden.c - worked cases through the real path: a case's text becomes an OTF2
 * archive by tacho's conventions, `tacho analyze` its database, and every
 * figure that the case expects is compared. The format: tests/golden/README.md.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <otf2/otf2.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RANKS = 64, MAX_LINE = 4096, MAX_WORDS = 128, MAX_NAMES = 512, MAX_EXTRAS = 128, MAX_EXPECTED = 512 };

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
};

struct expectation { char window[64], model[64], name[64], subject[64]; double value; };

/* One case while it is written. */
struct writer {
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	OTF2_EvtWriter *events;
	int ranks, nodes[MAX_RANKS];
	uint64_t counts[MAX_RANKS];
	char *names[MAX_NAMES];		/* strings; regions have the number of their name */
	int nnames;
	bool is_region[MAX_NAMES];
	uint64_t first, last;
	struct { double at[4]; int n; } clocks[MAX_RANKS];
	struct expectation expected[MAX_EXPECTED];
	struct { double value; char *sql; } queries[32];
	int nqueries;
	char *repeated[64];		/* lines between repeat and end */
	int nrepeated, times;
	uint64_t every, shift;		/* of the repetition: ns apart, ns so far, its number */
	bool repeating;
	int nexpected, nfailing;	/* failing: checks that the case breaks on purpose */
	uint64_t elapsed;
	/* locations beyond the main threads: streams, threads, children */
	struct extra {
		char name[64], uuid[32], kind;	/* 's' stream, 't' thread, 'c' child */
		int process;			/* rank, or 1000 + place of a child */
		unsigned device;
		bool inside;			/* a stream in the process's own group */
		uint64_t count;
	} extras[MAX_EXTRAS];
	bool in_extra;				/* the present location is the last of them */
	int nextras, at;			/* at: process of the present location */
	int child_of[MAX_EXTRAS];		/* rank of a child */
	long latency;
};

/* Attributes by number; tacho.step is 0. */
static const struct { const char *name; OTF2_Type type; } attributes[] = {
	{ "tacho.step", OTF2_TYPE_UINT64 }, { "tacho.correlation", OTF2_TYPE_UINT64 }, { "tacho.device", OTF2_TYPE_UINT64 },
	{ "tacho.stream", OTF2_TYPE_UINT64 }, { "tacho.event", OTF2_TYPE_UINT64 }, { "tacho.comm", OTF2_TYPE_UINT64 },
	{ "tacho.seq", OTF2_TYPE_UINT64 }, { "tacho.group", OTF2_TYPE_UINT64 }, { "tacho.op", OTF2_TYPE_STRING },
	{ "tacho.bytes", OTF2_TYPE_UINT64 }, { "tacho.root", OTF2_TYPE_UINT64 }, { "tacho.peer", OTF2_TYPE_UINT64 },
	{ "tacho.sync", OTF2_TYPE_UINT64 }, { "tacho.wake", OTF2_TYPE_UINT64 }, { "tacho.cut", OTF2_TYPE_UINT64 },
};

enum { ATTRIBUTES = sizeof(attributes) / sizeof(attributes[0]) };

static OTF2_FlushType pre_flush(
	void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void)final;
	return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = pre_flush };

static uint32_t string_of(struct writer *w, const char *text)
{
	for (int i = 0; i < w->nnames; i++)
		if (strcmp(w->names[i], text) == 0)
			return i;
	w->names[w->nnames] = strdup(text);
	return w->nnames++;
}

static uint32_t region_of(struct writer *w, const char *name)
{
	uint32_t i = string_of(w, name);

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
static void attribute_add(struct writer *w, OTF2_AttributeList *list, const char *name, const char *value)
{
	for (int i = 0; value && i < ATTRIBUTES; i++)
		if (strcmp(attributes[i].name + 6, name) == 0) {
			if (attributes[i].type == OTF2_TYPE_STRING)
				OTF2_AttributeList_AddStringRef(list, i, string_of(w, value));
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
	OTF2_EvtWriter_Enter(
		w->events, list, t, region_of(w, strncmp(name, "step:", 5) == 0 ? "step:" : name));
	OTF2_AttributeList_Delete(list);
}

static void leave(struct writer *w, uint64_t t, const char *name)
{
	seen(w, t);
	OTF2_EvtWriter_Leave(
		w->events, NULL, t, region_of(w, strncmp(name, "step:", 5) == 0 ? "step:" : name));
}

static const char *word_after(char **words, int n, const char *key)
{
	for (int i = 0; i + 1 < n; i++)
		if (strcmp(words[i], key) == 0)
			return words[i + 1];
	return NULL;
}

static void collective(struct writer *w, uint64_t begin, uint64_t end, const char *op,
	const char *root, uint64_t bytes)
{
	for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++) {
		if (strcmp(collectives[i].name, op) != 0)
			continue;
		enter(w, begin, collectives[i].region);
		OTF2_EvtWriter_MpiCollectiveBegin(w->events, NULL, begin);
		OTF2_EvtWriter_MpiCollectiveEnd(w->events, NULL, end, collectives[i].op, 0,
			root ? (uint32_t)atoi(root) : OTF2_COLLECTIVE_ROOT_NONE, bytes, bytes);
		leave(w, end, collectives[i].region);
	}
}

/* isend RANK req N | irecv N | sent N | received RANK req N: a post or a wait. False: none of these. */
static bool non_blocking(struct writer *w, uint64_t begin, uint64_t end, char **words, int n,
	uint32_t tag, uint64_t size)
{
	const char *isend = word_after(words, n, "isend"), *irecv = word_after(words, n, "irecv");
	const char *sent = word_after(words, n, "sent"),
	           *received = word_after(words, n, "received");
	const char *request = word_after(words, n, "req");
	const char *call = isend ? "MPI_Isend" : irecv ? "MPI_Irecv" : "MPI_Wait";
	uint64_t id = request ? strtoull(request, NULL, 10) : 0;

	if (!isend && !irecv && !sent && !received)
		return false;
	enter(w, begin, call);
	if (isend)
		OTF2_EvtWriter_MpiIsend(
			w->events, NULL, begin, (uint32_t)atoi(isend), 0, tag, size, id);
	if (irecv)
		OTF2_EvtWriter_MpiIrecvRequest(w->events, NULL, begin, strtoull(irecv, NULL, 10));
	if (sent)
		OTF2_EvtWriter_MpiIsendComplete(w->events, NULL, end, strtoull(sent, NULL, 10));
	if (received)
		OTF2_EvtWriter_MpiIrecv(
			w->events, NULL, end, (uint32_t)atoi(received), 0, tag, size, id);
	leave(w, end, call);
	return true;
}

/* An MPI call: a collective, a message to or from a rank (tag: the message's name), or none of these. */
static void mpi_call(struct writer *w, uint64_t begin, uint64_t end, char **words, int n)
{
	const char *op = word_after(words, n, "coll"), *to = word_after(words, n, "send");
	const char *from = word_after(words, n, "recv"), *tag = word_after(words, n, "tag"),
	           *bytes = word_after(words, n, "bytes");
	const char *call = word_after(words, n, "call");
	uint64_t size = bytes ? strtoull(bytes, NULL, 10) : 8;
	uint32_t number = tag ? (uint32_t)atoi(tag) : 0;

	if (op) {
		collective(w, begin, end, op, word_after(words, n, "root"), size);
		return;
	}
	if (non_blocking(w, begin, end, words, n, number, size))
		return;
	call = call ? call : to ? "MPI_Send" : from ? "MPI_Recv" : "MPI_Comm_rank";
	enter(w, begin, call);
	if (to)
		OTF2_EvtWriter_MpiSend(w->events, NULL, begin, (uint32_t)atoi(to), 0, number, size);
	if (from)
		OTF2_EvtWriter_MpiRecv(w->events, NULL, end, (uint32_t)atoi(from), 0, number, size);
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
	static const struct { const char *word, *region, *keys[5]; bool lasts; } calls[] = {
		{ "launch", "cudaLaunchKernel", { "correlation", "device", "stream" }, false },
		{ "record", "cudaEventRecord", { "event", "device", "stream" }, false },
		{ "wait", "cudaStreamWaitEvent", { "event", "device", "stream" }, false },
		{ "sync", "cudaStreamSynchronize", { "device", "stream" }, true },
		{ "dsync", "cudaDeviceSynchronize", { "device" }, true },
		{ "esync", "cudaEventSynchronize", { "event" }, true },
		{ "copy", "cudaMemcpy", { "correlation", "device", "stream" }, true },
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

/* T0 T1 compute|nccl|memcpy [KEY VALUE]...: an activity of the present stream; keys are attributes, or name. */
static void activity(struct writer *w, uint64_t begin, uint64_t end, char **words, int n)
{
	const char *name = word_after(words, n, "name");
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	if (!name)
		name = strcmp(words[2], "compute") == 0 ? "kernel" : strcmp(words[2], "nccl") == 0 ?
			"ncclDevKernel_AllReduce" : "memcpy_h2d";
	for (int i = 3; i + 1 < n; i += 2)
		attribute_add(w, list, words[i], words[i + 1]);
	enter_with(w, begin, name, list);
	OTF2_AttributeList_Delete(list);
	leave(w, end, name);
}

/* T0 T1 hand wait|wake|read|write OBJECT: through a semaphore, or through a pipe. */
static void handover(struct writer *w, uint64_t begin, uint64_t end, char **words)
{
	bool pipe = strcmp(words[3], "read") == 0 || strcmp(words[3], "write") == 0;
	bool wakes = strcmp(words[3], "wake") == 0 || strcmp(words[3], "write") == 0;
	const char *region = pipe ? words[3] : wakes ? "sem_post" : "sem_wait";
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	attribute_add(w, list, "sync", words[4]);
	attribute_add(w, list, "wake", wakes ? "1" : "0");
	enter_with(w, begin, region, list);
	OTF2_AttributeList_Delete(list);
	leave(w, end, region);
}

static void interval(struct writer *w, char **words, int n)
{
	uint64_t begin = time_of(w, words[0]), end = time_of(w, words[1]);
	static const struct { const char *kind, *region; } calls[] = {
		{ "io", "read" }, { "cuda", "cudaDeviceSynchronize" }, { "wait", "sem_wait" },
	};

	seen(w, begin);
	seen(w, end);
	if (strcmp(words[2], "compute") == 0 || strcmp(words[2], "nccl") == 0 || strcmp(words[2], "memcpy") == 0) {
		activity(w, begin, end, words, n);
		return;
	}
	if (strcmp(words[2], "hand") == 0) {
		handover(w, begin, end, words);
		return;
	}
	if (strcmp(words[2], "cuda") == 0 && n > 3) {
		enter(w, begin, "cudaCall");
		for (int i = 3; i < n; i++)
			runtime_call(w, begin, i == n - 1 ? end : begin, words[i]);
		leave(w, end, "cudaCall");
		return;
	}
	if (strcmp(words[2], "mpi") == 0)
		mpi_call(w, begin, end, words + 3, n - 3);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(words[2], calls[i].kind) == 0) {
			enter(w, begin, calls[i].region);
			leave(w, end, calls[i].region);
		}
}

static void rank_end(struct writer *w)
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

	rank_end(w);
	w->nodes[w->ranks] = node ? atoi(node) : 0;
	for (int i = 0; i < n; i++)
		if (strcmp(words[i], "clock") == 0)
			for (int k = i + 1; k < n && w->clocks[w->ranks].n < 4; k++)
				w->clocks[w->ranks].at[w->clocks[w->ranks].n++] = atof(words[k]);
	w->at = w->ranks;
	w->in_extra = false;
	w->events = OTF2_Archive_GetEvtWriter(w->archive, w->ranks++);
}

/* stream DEVICE NUMBER [uuid U] [inside yes] | thread NAME | child NAME: of the rank above. */
static void extra_begin(struct writer *w, char **words, int n)
{
	struct extra *extra = &w->extras[w->nextras];
	const char *uuid = word_after(words, n, "uuid");

	rank_end(w);
	extra->kind = words[0][0];
	extra->process = extra->kind == 'c' ? 1000 + w->nextras : w->at;
	w->child_of[w->nextras] = w->at;
	extra->inside = word_after(words, n, "inside");
	snprintf(extra->uuid, sizeof(extra->uuid), "%s", uuid ? uuid : "");
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

static void line_take(struct writer *w, char *line);

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
			line_take(w, line);
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

static void line_take(struct writer *w, char *line)
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
	else if (strcmp(words[0], "stream") == 0 || strcmp(words[0], "thread") == 0 || strcmp(words[0], "child") == 0)
		extra_begin(w, words, n);
	else if (strcmp(words[0], "launch-latency") == 0)
		w->latency = atol(words[1]);
	else if (strcmp(words[0], "expect") == 0)
		expect(w, words, n);
	else if (strcmp(words[0], "fails") == 0)
		w->nfailing++;
	else if (strcmp(words[0], "elapsed") == 0)
		w->elapsed = strtoull(words[1], NULL, 10);
	else if (strcmp(words[0], "enter") == 0)
		enter(w, time_of(w, words[1]), words[2]);
	else if (strcmp(words[0], "leave") == 0)
		leave(w, time_of(w, words[1]), words[2]);
	else
		interval(w, words, n);
}

static void region_define(struct writer *w, uint32_t i)
{
	const char *name = w->names[i];
	bool mpi = strncmp(name, "MPI_", 4) == 0, cuda = strncmp(name, "cu", 2) == 0;
	bool phase = strncmp(name, "phase:", 6) == 0, step = strcmp(name, "step:") == 0;
	uint32_t shown = phase ? string_of(w, name + 6) : step ? string_of(w, "step") : i;
	uint32_t about = string_of(w, phase ? "tacho.phase" : step ? "tacho.step" : "");

	OTF2_GlobalDefWriter_WriteRegion(w->defs, i, shown, shown, about,
		step          ? OTF2_REGION_ROLE_LOOP :
			phase ? OTF2_REGION_ROLE_CODE :
				OTF2_REGION_ROLE_FUNCTION,
		mpi                   ? OTF2_PARADIGM_MPI :
			cuda          ? OTF2_PARADIGM_CUDA :
			phase || step ? OTF2_PARADIGM_USER :
					OTF2_PARADIGM_UNKNOWN,
		OTF2_REGION_FLAG_NONE, string_of(w, ""), 0, 0);
}

/* A reader needs strings before what refers to them, so all of them are named first. */
static void strings(struct writer *w)
{
	static const char *const fixed[] = { "machine", "node", "main", "MPI_COMM_WORLD",
		"tacho.step", "tacho.phase", "step" };
	char name[32];

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		string_of(w, fixed[i]);
	for (int i = 0, n = w->nnames; i < n; i++)
		if (strncmp(w->names[i], "phase:", 6) == 0)
			string_of(w, w->names[i] + 6);
	for (int i = 0; i < w->ranks; i++) {
		snprintf(name, sizeof(name), "rank %d", i);
		string_of(w, name);
		snprintf(name, sizeof(name), "n%d", w->nodes[i]);
		string_of(w, name);
	}
	for (int i = 0; i < ATTRIBUTES; i++)
		string_of(w, attributes[i].name);
	string_of(w, "tacho.parent");
	string_of(w, "tacho.device.uuid");
	for (int i = 0; i < w->nextras; i++) {
		string_of(w, w->extras[i].name);
		string_of(w, w->extras[i].uuid);
	}
	for (int i = 0; i < w->nnames; i++)
		OTF2_GlobalDefWriter_WriteString(w->defs, i, w->names[i]);
}

static void property_define(struct writer *w, uint32_t group, const char *name, const char *value)
{
	OTF2_AttributeValue text = { .stringRef = string_of(w, value) };

	OTF2_GlobalDefWriter_WriteLocationGroupProperty(w->defs, group, string_of(w, name), OTF2_TYPE_STRING, text);
}

/* Group of an extra location: a rank's is its number; 100 per rank for devices; children from 10000 on. */
static uint32_t group_of(const struct extra *extra)
{
	return extra->kind == 'c' ? 9000u + (unsigned)extra->process : extra->kind == 't' || extra->inside ?
		extra->process >= 1000 ? 9000u + (unsigned)extra->process : (unsigned)extra->process :
		20000u + 100u * (unsigned)extra->process + extra->device;
}

static void extras_define(struct writer *w)
{
	char parent[32];

	for (int i = 0; i < w->nextras; i++) {
		const struct extra *extra = &w->extras[i];
		uint32_t group = group_of(extra);
		bool known = extra->kind == 't' || extra->inside;

		for (int k = 0; k < i; k++)
			known |= group_of(&w->extras[k]) == group;
		if (!known && extra->kind == 's') {
			OTF2_GlobalDefWriter_WriteLocationGroup(w->defs, group, string_of(w, extra->name),
				OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, w->nodes[extra->process] + 1, extra->process);
			if (*extra->uuid)
				property_define(w, group, "tacho.device.uuid", extra->uuid);
		} else if (!known) {
			snprintf(parent, sizeof(parent), "rank %d", w->child_of[i]);
			OTF2_GlobalDefWriter_WriteLocationGroup(w->defs, group, string_of(w, extra->name),
				OTF2_LOCATION_GROUP_TYPE_PROCESS, w->nodes[w->child_of[i]] + 1, OTF2_UNDEFINED_LOCATION_GROUP);
			property_define(w, group, "tacho.parent", parent);
		}
		OTF2_GlobalDefWriter_WriteLocation(w->defs, 1000 + i, string_of(w, extra->name), extra->kind == 's' ?
			OTF2_LOCATION_TYPE_ACCELERATOR_STREAM : OTF2_LOCATION_TYPE_CPU_THREAD, extra->count, group);
	}
}

static void definitions(struct writer *w)
{
	uint64_t members[MAX_RANKS];
	char name[32];
	int nodes = 0;

	strings(w);

	OTF2_GlobalDefWriter_WriteClockProperties(
		w->defs, 1000000000, 0, w->last + 1, OTF2_UNDEFINED_TIMESTAMP);
	for (int i = 0, n = w->nnames; i < n; i++)
		if (w->is_region[i])
			region_define(w, i);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, 0, string_of(w, "machine"),
		string_of(w, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (int i = 0; i < w->ranks; i++)
		nodes = w->nodes[i] >= nodes ? w->nodes[i] + 1 : nodes;
	for (int i = 0; i < nodes; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		OTF2_GlobalDefWriter_WriteSystemTreeNode(
			w->defs, i + 1, string_of(w, name), string_of(w, "node"), 0);
	}
	for (int i = 0; i < w->ranks; i++) {
		snprintf(name, sizeof(name), "rank %d", i);
		OTF2_GlobalDefWriter_WriteLocationGroup(w->defs, i, string_of(w, name),
			OTF2_LOCATION_GROUP_TYPE_PROCESS, w->nodes[i] + 1,
			OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(w->defs, i, string_of(w, "main"),
			OTF2_LOCATION_TYPE_CPU_THREAD, w->counts[i], i);
		members[i] = i;
	}
	OTF2_GlobalDefWriter_WriteGroup(w->defs, 0, string_of(w, ""),
		OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, w->ranks,
		members);
	OTF2_GlobalDefWriter_WriteGroup(w->defs, 1, string_of(w, ""), OTF2_GROUP_TYPE_COMM_GROUP,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, w->ranks, members);
	OTF2_GlobalDefWriter_WriteComm(w->defs, 0, string_of(w, "MPI_COMM_WORLD"), 1,
		OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	extras_define(w);
	for (int k = 1; k < ATTRIBUTES; k++)
		OTF2_GlobalDefWriter_WriteAttribute(w->defs, k, string_of(w, attributes[k].name), string_of(w, ""),
			attributes[k].type);
	OTF2_GlobalDefWriter_WriteAttribute(
		w->defs, 0, string_of(w, "tacho.step"), string_of(w, ""), OTF2_TYPE_UINT64);
}

static void local_definitions(struct writer *w)
{
	OTF2_Archive_OpenDefFiles(w->archive);
	for (int i = 0; i < w->ranks; i++) {
		OTF2_DefWriter *defs = OTF2_Archive_GetDefWriter(w->archive, i);

		for (int k = 0; k + 1 < w->clocks[i].n; k += 2)
			OTF2_DefWriter_WriteClockOffset(defs, (uint64_t)w->clocks[i].at[k],
				(int64_t)w->clocks[i].at[k + 1], 0);
		OTF2_Archive_CloseDefWriter(w->archive, defs);
	}
	for (int i = 0; i < w->nextras; i++)
		OTF2_Archive_CloseDefWriter(w->archive, OTF2_Archive_GetDefWriter(w->archive, 1000 + i));
	OTF2_Archive_CloseDefFiles(w->archive);
}

static int case_write(struct writer *w, const char *path, const char *dir)
{
	FILE *file = fopen(path, "r");
	char line[MAX_LINE];

	if (!file)
		return -1;
	w->first = UINT64_MAX;
	w->archive = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18,
		OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(w->archive);
	OTF2_Archive_OpenEvtFiles(w->archive);
	string_of(w, "");
	while (fgets(line, sizeof(line), file))
		line_take(w, line);
	rank_end(w);
	fclose(file);
	OTF2_Archive_CloseEvtFiles(w->archive);
	local_definitions(w);
	w->defs = OTF2_Archive_GetGlobalDefWriter(w->archive);
	definitions(w);
	OTF2_Archive_CloseGlobalDefWriter(w->archive, w->defs);
	return OTF2_Archive_Close(w->archive) == OTF2_SUCCESS ? 0 : -1;
}

/* The one value of a query; NaN for NULL, -1e300 when there is no row. */
static double query(sqlite3 *db, const char *sql, const char *a, const char *b, const char *c)
{
	sqlite3_stmt *statement = NULL;
	double value = -1e300;
	const char *args[] = { a, b, c };

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
		for (int i = 0; i < 3; i++)
			if (args[i])
				sqlite3_bind_text(statement, i + 1, args[i], -1, SQLITE_STATIC);
		if (sqlite3_step(statement) == SQLITE_ROW)
			value = sqlite3_column_type(statement, 0) == SQLITE_NULL ?
				NAN :
				sqlite3_column_double(statement, 0);
	}
	sqlite3_finalize(statement);
	return value;
}

static double found(sqlite3 *db, const struct expectation *e)
{
	char rank[64];
	const char *state = strchr(e->name, ':');

	if (strcmp(e->model, "states") == 0) {		/* RANK:DEVICE:STATE */
		char device[64];

		state = strchr(state + 1, ':');
		snprintf(device, sizeof(device), "%.*s", (int)(state - e->name), e->name);
		return query(db, "select coalesce(sum(ns), 0) from device_time t join process_device d using (device_id) "
			"join process p on p.id = d.process_id where window = ? and p.rank || ':' || ordinal = ? and state = ?",
			e->window, device, state + 1);
	}
	if (strcmp(e->model, "time") != 0)
		return query(db,
			"select value from metric where window = ? and model = ? and name = ? and subject = ''",
			e->window, e->model, e->name);
	snprintf(rank, sizeof(rank), "%.*s", (int)(state - e->name), e->name);
	return query(db,
		"select coalesce(sum(ns), 0) from host_time h join process p on p.id = h.process_id "
		"where window = ? and p.rank = ? and state = ?",
		e->window, rank, state + 1);
}

static bool equal(double a, double b)
{
	return isnan(a) && isnan(b) ? true : fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* Expected values are given to 9 places in some cases: compared to as many. */
static int compare(const struct writer *w, const char *database)
{
	sqlite3 *db = NULL;
	int wrong = 0;

	if (sqlite3_open_v2(database, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		return -1;
	if (w->elapsed &&
		!equal(query(db, "select duration_ns from run", NULL, NULL, NULL), w->elapsed)) {
		printf("# elapsed is %.17g, %" PRIu64 " expected\n",
			query(db, "select duration_ns from run", NULL, NULL, NULL), w->elapsed);
		wrong++;
	}
	if (query(db, "select count(*) from checks where not ok", NULL, NULL, NULL) !=
		w->nfailing) {
		printf("# checks fail that should not, or the other way round\n");
		wrong++;
	}
	for (int i = 0; i < w->nexpected; i++) {
		double value = found(db, &w->expected[i]);

		if (equal(value, w->expected[i].value))
			continue;
		printf("# %s %s.%s is %.12g, %.12g expected\n", w->expected[i].window,
			w->expected[i].model, w->expected[i].name, value, w->expected[i].value);
		wrong++;
	}
	for (int i = 0; i < w->nqueries; i++) {
		double value = query(db, w->queries[i].sql, NULL, NULL, NULL);

		if (equal(value, w->queries[i].value))
			continue;
		printf("# %.12g, %.12g expected: %s", value, w->queries[i].value,
			w->queries[i].sql);
		wrong++;
	}
	sqlite3_close(db);
	return wrong;
}

static int case_run(const char *tacho, const char *path, const char *dir)
{
	struct writer writer = { 0 };
	char command[4096], database[2048];
	int wrong = case_write(&writer, path, dir);

	snprintf(database, sizeof(database), "%s/case.db", dir);
	snprintf(command, sizeof(command), "timeout 30 '%s' analyze --launch-latency %ld --db '%s' '%s/traces.otf2' >&2",
		tacho, writer.latency, database, dir);
	unlink(database);
	if (wrong == 0)
		wrong = system(command) == 0 ? compare(&writer, database) : -1;
	for (int i = 0; i < writer.nnames; i++)
		free(writer.names[i]);
	for (int i = 0; i < writer.nqueries; i++)
		free(writer.queries[i].sql);
	return wrong;
}

/* golden TACHO FOLDER write CASE | golden TACHO FOLDER CASE...: FOLDER takes a folder per case. */
int main(int argc, char **argv)
{
	char dir[1024];

	if (argc == 5 && strcmp(argv[3], "write") == 0) {
		struct writer writer = { 0 };

		return case_write(&writer, argv[4], argv[2]) < 0;
	}
	if (argc < 4)
		return 2;
	printf("1..%d\n", argc - 3);
	for (int i = 3; i < argc; i++) {
		const char *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		int wrong;

		snprintf(dir, sizeof(dir), "%s/%d", argv[2], i);
		wrong = case_run(argv[1], argv[i], dir);
		printf("%sok %d - %s gives every figure that is expected\n", wrong ? "not " : "",
			i - 2, name);
		fflush(stdout);
	}
	return 0;
}
