/*
 * spool_make.c - writes spools from a text, for the tests of merge: what a
 * traced process would have left, record by record. Usage: spool_make [-b] DIR < text. With -b calls
 * that can be in a SPOOL_BRIEF are, and files are like those before.
 *
 *	process FOLDER PID RANK SIZE	ticks are CLOCK_MONOTONIC ns, which start at 0
 *	child 				the process is forked from the rank's
 *	node NAME			where it runs: node1
 *	property KEY VALUE
 *	name ID TEXT
 *	comm ID KIND PARENT CREATION RANK MEMBERS [REMOTE] [NAME]	members: 0,1,2 or 0-8191
 *	window ID COMM
 *	handle ID KIND INODE FLAGS PATH
 *	pair TICKS MONOTONIC REALTIME	and `tsc` before it makes ticks the TSC's
 *	heartbeat TICKS
 *	end TICKS
 *	lost REASON COUNT
 *	thread NUMBER NAME
 *	gpu NUMBER NAME			a spool of device activities instead of a thread's
 *	device ID ORDINAL KIND UUID PCI NAME	gpu or stand-in; UUID 32 hexadecimal digits; PCI 0:1a:0 or -
 *	stream ID DEVICE CONTEXT STREAM FLAGS PRIORITY
 *	kernel ID NAME
 *	nccl_comm ID HASH RANK SIZE DEVICE [PARENT SPLIT COLOUR]
 *	inside DEPTH REGION START [HANDLE]
 *	rec TYPE REGION DEPTH A START DURATION [WORD…]	a word may be LOW|HIGH, or REGION:HOW|CALLS
 *	summed …, sum …			see summed() and sum(), keep() and kept_end()
 *	keep, kept
 *	give [ROOM], given		the records between are given up, as give() has it
 *	fill COUNT			that many records of a training loop
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tacho/brief.h"
#include "tacho/fold.h"
#include "tacho/regions.h"
#include "tacho/runs.h"
#include "tacho/spool.h"
#include "tacho/totals.h"

#include "core/totals.h"

static const char *const region_names[REGION_COUNT] = {
#define CALL(name, ...) [REGION_##name] = #name,
#include "tacho/mpi_calls.def"
#include "tacho/io_calls.def"
#include "tacho/wait_calls.def"
#include "tacho/cuda_calls.def"
#include "tacho/nccl_calls.def"
#include "tacho/torch_calls.def"
#undef CALL
};

static const char *const type_names[SPOOL_TYPE_COUNT] = {
#define TYPE(name) [SPOOL_##name] = #name
	TYPE(PAD), TYPE(CALL), TYPE(IO), TYPE(IO_LONG), TYPE(IO_PLAIN), TYPE(SYNC), TYPE(P2P),
	TYPE(P2P_LONG), TYPE(SENDRECV), TYPE(COLL), TYPE(COLL_FULL), TYPE(DONE), TYPE(DONE_MORE),
	TYPE(RMA), TYPE(BEGIN), TYPE(END), TYPE(CLOCK), TYPE(THREAD_END), TYPE(GAP),
	TYPE(DONE_SHORT), TYPE(STARTED), TYPE(CUDA), TYPE(NCCL), TYPE(NCCL_PLAN), TYPE(GRAPH),
	TYPE(FOLD), TYPE(KERNEL), TYPE(COPY), TYPE(GPU_SYNC), TYPE(OVERHEAD)
#undef TYPE
};

static const char *const comm_kinds[] = { "", "world", "self", "intra", "inter" };
static const char *const handle_kinds[] = { "", "file", "dir", "pipe", "socket", "device", "other",
	"mpi" };
static const char *const device_kinds[] = { "", "gpu", "stand-in" };
static const char *const mark_names[] = { "", "region", "phase", "step" };

static char *base, folder[512];
static FILE *defs, *thread;
static struct spool_head head;
static struct spool_state state;
static struct spool_def_process process;
static unsigned line_number;

static void die(const char *what)
{
	fprintf(stderr, "spool_make: line %u: %s\n", line_number, what);
	exit(2);
}

static unsigned number_of(const char *const *names, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (names[i] && strcmp(names[i], name) == 0)
			return i;
	die(name);
	return 0;
}

#define NUMBER_OF(names, name) number_of(names, sizeof(names) / sizeof(*(names)), name)

static FILE *file_open(const char *name)
{
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		die(path);
	return file;
}

static void define(unsigned type, unsigned id, const void *body, size_t nbody, const char *text)
{
	static const char zeroes[8];
	size_t ntext = strlen(text), all = sizeof(struct spool_def) + nbody + ntext,
	       size = (all + 7) & ~7ul;
	struct spool_def def = { size, type, 0, id, ntext };

	fwrite(&def, sizeof(def), 1, defs);
	if (nbody)
		fwrite(body, nbody, 1, defs);
	fwrite(text, ntext, 1, defs);
	fwrite(zeroes, size - all, 1, defs);
}

/* A property's text holds a NUL, so it is written apart. */
static void define_property(const char *key, const char *value)
{
	size_t ntext = strlen(key) + 1 + strlen(value), all = sizeof(struct spool_def) + ntext,
	       size = (all + 7) & ~7ul;
	struct spool_def def = { size, DEF_PROPERTY, 0, 0, ntext };
	char *block = calloc(1, size);

	memcpy(block, &def, sizeof(def));
	strcpy(block + sizeof(def), key);
	memcpy(block + sizeof(def) + strlen(key) + 1, value, strlen(value));
	fwrite(block, size, 1, defs);
	free(block);
}

/* What the thread's spool has summed instead of kept (totals.h). */
static struct totals_sums sums;
static struct totals_span spans[64];

static void totals_write(void)
{
	struct totals totals = { .magic = TOTALS_MAGIC,
		.version = SPOOL_VERSION,
		.nregions = REGION_COUNT,
		.size = sizeof(totals),
		.counts = 1 };
	char name[32];
	FILE *file;

	if (!sums.chunks)
		return;
	totals.sums[1] = sums;
	snprintf(name, sizeof(name), "totals.%u", head.number);
	file = file_open(name);
	fwrite(&totals, sizeof(totals), 1, file);
	fseek(file, TOTALS_SIZE, SEEK_SET);
	fwrite(spans, sizeof(spans), 1, file);
	fclose(file);
	sums = (struct totals_sums){ 0 };
}

/* What stays in detail of it: entries, each with its changes and records. */
static struct {
	FILE *records; /* of the one that is open; NULL: none is */
	char *text;
	size_t size;
	struct totals_sums before;
	struct kept_entry entries[KEPT_ENTRIES];
	unsigned n;
	FILE *file;
} kept;

static uint32_t changes_make(const struct totals_sums *from, const struct totals_sums *to,
	struct kept_change *out)
{
	const uint64_t *a = (const uint64_t *)from, *b = (const uint64_t *)to;
	uint32_t n = 0;

	for (uint64_t i = 0; i < sizeof(*to) / 8; i++)
		if (a[i] != b[i])
			out[n++] = (struct kept_change){ i, b[i] };
	return n;
}

/* Records on their way into the sums, by the collector's own code. */
static struct {
	FILE *records; /* NULL: none are */
	char *text;
	size_t size;
	struct totals_list list;
} giving;

static void give_open(void)
{
	giving.records = open_memstream(&giving.text, &giving.size);
}

static void give_flush(void)
{
	fclose(giving.records);
	totals_add(&sums, &giving.list, (const uint64_t *)(const void *)giving.text, giving.size);
	free(giving.text);
	give_open();
}

/* keep: the sums are those before the records that follow, which are kept of the chunk after them */
static void keep(void)
{
	char name[32];

	if (giving.records)
		give_flush();
	if (!kept.file) {
		snprintf(name, sizeof(name), "kept.%u", head.number);
		kept.file = file_open(name);
		fseek(kept.file, KEPT_SIZE, SEEK_SET);
	}
	kept.before = sums;
	kept.records = open_memstream(&kept.text, &kept.size);
}

/* kept: the sums are those after them */
static void kept_end(void)
{
	static const struct totals_sums none;
	static struct kept_change changes[2 * sizeof(none) / 8];
	struct kept_entry *entry = &kept.entries[kept.n++];

	fclose(kept.records);
	kept.records = NULL;
	if (giving.records)
		totals_add(&sums, &giving.list, (const uint64_t *)(const void *)kept.text,
			kept.size);
	*entry = (struct kept_entry){ .chunk = kept.before.chunks + 1,
		.nth = kept.before.records,
		.offset = (uint64_t)ftell(kept.file),
		.words = kept.size / 8 };
	entry->before = changes_make(&none, &kept.before, changes);
	entry->after = changes_make(&kept.before, &sums, changes + entry->before);
	entry->check = kept_check(entry, changes, (const uint64_t *)(const void *)kept.text);
	fwrite(changes, sizeof(*changes), entry->before + entry->after, kept.file);
	fwrite(kept.text, 1, kept.size, kept.file);
	free(kept.text);
}

static void kept_write(void)
{
	if (!kept.file)
		return;
	fseek(kept.file, 0, SEEK_SET);
	fwrite(kept.entries, sizeof(kept.entries), 1, kept.file);
	fclose(kept.file);
	memset(&kept, 0, sizeof(kept));
}

/* A SPOOL_BRIEF that is not written yet. */
static struct {
	bool is_wanted;
	uint64_t words[BRIEF_WORDS_MOST], n, start, end;
	uint32_t handle;
} brief;

static void brief_write(void)
{
	brief.words[2] = spool_word2(brief.end - brief.words[1], brief.n);
	fwrite(brief.words, 8, brief.n, thread);
	brief.n = 0;
}

/* Whether the call is in one now. */
static bool brief_add(unsigned type, unsigned region, uint32_t a, uint64_t start, uint64_t duration,
	uint64_t value)
{
	uint64_t call[2], before = brief.n ? brief.start : start;
	uint32_t handle = brief.n ? brief.handle : type == SPOOL_IO_PLAIN ? a : 0;
	unsigned more = brief_put(call, type, region, a, value, start - before, duration, handle);

	if (!more || brief.n + more > BRIEF_WORDS_MOST)
		return false;
	if (!brief.n) {
		brief.words[0] = spool_word0(SPOOL_BRIEF, 0, region, handle);
		brief.words[1] = start;
		brief.n = 3;
	}
	memcpy(brief.words + brief.n, call, more * sizeof(*call));
	brief.n += more;
	brief.start = start;
	brief.end = start + duration;
	brief.handle = type == SPOOL_IO_PLAIN ? a : handle;
	return true;
}

static void thread_close(void)
{
	if (brief.n)
		brief_write();
	totals_write();
	kept_write();
	if (!thread)
		return;
	fseek(thread, 0, SEEK_SET);
	fwrite(&head, sizeof(head), 1, thread);
	fclose(thread);
	thread = NULL;
}

static void process_close(void)
{
	FILE *file;

	thread_close();
	if (!defs)
		return;
	fclose(defs);
	defs = NULL;
	file = file_open("state");
	fwrite(&state, sizeof(state), 1, file);
	fclose(file);
}

static char node[32] = "node1";

static void process_flush(void)
{
	if (process.version) {
		define(DEF_PROCESS, 0, &process, sizeof(process), "");
		define_property("process.hostname", node);
		define_property("process.boot_id", node[4] == '1' ? "boot" : node);
		process.version = 0;
	}
}

static void process_open(const char *name, unsigned pid, int rank, int size)
{
	process_close();
	strcpy(node, "node1");
	snprintf(folder, sizeof(folder), "%s/%s", base, name);
	if (mkdir(folder, 0700) < 0 && errno != EEXIST)
		die(folder);
	defs = file_open("process");
	state = (struct spool_state){ .magic = SPOOL_MAGIC,
		.version = SPOOL_VERSION,
		.clock = SPOOL_CLOCK_MONOTONIC };
	process = (struct spool_def_process){ .version = SPOOL_VERSION,
		.nregions = REGION_COUNT,
		.clock = SPOOL_CLOCK_MONOTONIC,
		.pid = pid,
		.rank = rank,
		.size = size,
		.local_rank = rank,
		.local_size = size,
		.start = { 0, 0, 1000000000000000000ull } };
}

static unsigned ranks_read(char *text, uint32_t *ranks)
{
	unsigned n = 0;

	for (char *save, *word = strtok_r(text, ",", &save); word;
		word = strtok_r(NULL, ",", &save)) {
		unsigned first = atoi(word), more = 0;

		if (strchr(word + 1, '-'))
			more = atoi(strchr(word + 1, '-') + 1) - first;
		for (unsigned i = 0; i <= more; i++)
			ranks[n++] = first + i;
	}
	return n;
}

static void comm_define(char **word, unsigned n)
{
	static uint32_t ranks[8192];
	struct {
		struct spool_def_comm def;
		struct spool_run runs[4097];
	} body = { .def = { .kind = NUMBER_OF(comm_kinds, word[2]),
			   .parent = atoi(word[3]),
			   .creation = strtoul(word[4], NULL, 0),
			   .rank = atoi(word[5]) } };
	unsigned name = 7;

	body.def.size = ranks_read(word[6], ranks);
	if (body.def.kind == COMM_INTER)
		body.def.nremote = ranks_read(word[name++], ranks + body.def.size);
	body.def.nruns = runs_make(body.runs, ranks, body.def.size + body.def.nremote);
	define(DEF_COMM, atoi(word[1]), &body,
		sizeof(body.def) + sizeof(*body.runs) * body.def.nruns, name < n ? word[name] : "");
}

static void device_define(char **word)
{
	struct spool_def_device def = { .ordinal = atoi(word[2]),
		.kind = NUMBER_OF(device_kinds, word[3]),
		.pci_domain = UINT32_MAX,
		.pci_bus = UINT32_MAX,
		.pci_device = UINT32_MAX };

	for (unsigned i = 0; i < 16; i++)
		sscanf(word[4] + 2 * i, "%2hhx", &def.uuid[i]);
	sscanf(word[5], "%x:%x:%x", &def.pci_domain, &def.pci_bus, &def.pci_device);
	define(DEF_DEVICE, atoi(word[1]), &def, sizeof(def), word[6]);
}

static void stream_define(char **word)
{
	struct spool_def_stream def = { .device = atoi(word[2]),
		.context = atoi(word[3]),
		.stream = atoi(word[4]),
		.flags = atoi(word[5]),
		.priority = atoi(word[6]) };

	define(DEF_STREAM, atoi(word[1]), &def, sizeof(def), "");
}

static void nccl_comm_define(char **word, unsigned n)
{
	struct spool_def_nccl_comm def = { .hash = strtoull(word[2], NULL, 0),
		.rank = atoi(word[3]),
		.size = atoi(word[4]),
		.device = atoi(word[5]) };

	if (n > 8) {
		def.parent = strtoull(word[6], NULL, 0);
		def.split = atoi(word[7]);
		def.colour = atoi(word[8]);
	}
	define(DEF_NCCL_COMM, atoi(word[1]), &def, sizeof(def), "");
}

/* Definitions of GPUs and what runs on them; false for other commands. */
static int gpu_command(char **word, unsigned n)
{
	const char *c = word[0];

	if (strcmp(c, "device") == 0)
		device_define(word);
	else if (strcmp(c, "stream") == 0)
		stream_define(word);
	else if (strcmp(c, "kernel") == 0)
		define(DEF_KERNEL, atoi(word[1]), NULL, 0, word[2]);
	else if (strcmp(c, "nccl_comm") == 0)
		nccl_comm_define(word, n);
	else
		return 0;
	return 1;
}

static void thread_open(unsigned number, const char *name)
{
	char file[32];

	thread_close();
	head = (struct spool_head){ .magic = SPOOL_MAGIC,
		.version = SPOOL_VERSION,
		.nregions = REGION_COUNT,
		.kind = SPOOL_KIND_THREAD,
		.clock = state.clock,
		.number = number,
		.is_main = number == 0 };
	snprintf(head.name, sizeof(head.name), "%s", name);
	snprintf(file, sizeof(file), "thread.%u", number);
	thread = file_open(file);
	fseek(thread, SPOOL_HEAD_SIZE - 1, SEEK_SET);
	fputc(0, thread);
}

static uint64_t word_read(const char *text)
{
	char *end, name[64];
	unsigned how, sum, least, most;
	uint64_t low;

	if (sscanf(text, "%u:%u:%u", &sum, &least, &most) == 3) /* its times */
		return fold_times(sum, least, most);
	if (sscanf(text, "%63[^:]:%u", name, &how) == 2) /* a kind of calls of a FOLD */
		return spool_pair(NUMBER_OF(region_names, name) | how << 16,
			strtoll(strchr(text, '|') + 1, NULL, 0));
	low = strtoll(text, &end, 0);

	return *end == '|' ? spool_pair(low, strtoll(end + 1, NULL, 0)) : low;
}

static void record(unsigned type, unsigned region, unsigned depth, uint32_t a, uint64_t start,
	uint64_t duration, const uint64_t *words, unsigned n)
{
	uint64_t w[3] = { spool_word0(type, depth, region, a), start,
		spool_word2(duration, 3 + n) };

	FILE *out = kept.records ? kept.records : giving.records ? giving.records : thread;

	if (brief.is_wanted && !kept.records && !giving.records && !depth && n < 2 &&
		brief_add(type, region, a, start, duration, n ? *words : 0))
		return;
	if (brief.n)
		brief_write();
	fwrite(w, sizeof(w), 1, out);
	if (n)
		fwrite(words, 8, n, out);
}

static unsigned nsum; /* of all that is in its tables: no table of the cases is full */

/* Chunks that are not in the sums: the first begins. */
static void chunk_begin(void)
{
	fseek(thread, SPOOL_HEAD_SIZE + 4096, SEEK_SET);
	record(SPOOL_CLOCK, 0, 0, 0, sums.last, 0,
		(uint64_t[]){ sums.last, 1000000000000000000ull + sums.last, sums.chunks }, 3);
}

/*
 * give [ROOM]: records that follow are added to the sums, with room for so many steps and phases in
 * their list; records between keep and kept stay in detail as well
 */
static void give(uint64_t room)
{
	head.first_size = head.slot_size = 4096;
	giving.list = (struct totals_list){ spans, room };
	give_open();
}

/* given: the following records are of the next chunk */
static void given(void)
{
	give_flush();
	fclose(giving.records);
	free(giving.text);
	giving.records = NULL;
	sums.chunks = 1;
	chunk_begin();
}

/* summed CHUNKS FIRST LAST RECORDS: the records that follow are of the chunks after those */
static void summed(char **word)
{
	head.first_size = head.slot_size = 4096;
	nsum = 0;
	sums = (struct totals_sums){ .chunks = word_read(word[1]),
		.first = word_read(word[2]),
		.last = word_read(word[3]),
		.records = word_read(word[4]) };
	if (kept.records)
		return; /* records summed after the kept ones */
	chunk_begin();
}

/*
 * sum children N PID K, sum call REGION PHASE CALLS TICKS OUTER SENT RECEIVED MOVED, sum span|mark KIND NAME VALUE BEGIN [END
 * SAMPLES [PART...]], sum parts PART..., sum channel COMM PEER TAG SENDS RECVS, sum comm COMM BEGUN, sum request NUMBER REGION
 * START COMM PEER TAG BYTES; of a device sum kernel|copy|overhead A DEVICE STREAM N TICKS BYTES CORRELATION
 */
static void sum(char **word, unsigned nwords)
{
	uint64_t w[6 + TOTALS_PARTS] = { 0 };

	for (unsigned i = 2; i < 8 + TOTALS_PARTS && i < nwords; i++)
		w[i - 2] = i == 2 || (i == 3 && *word[1] == 'r') ? 0 : word_read(word[i]);
	if (strcmp(word[1], "children") == 0) {
		sums.children = word_read(word[2]);
		sums.last_pid = (uint32_t)w[1];
		sums.last_k = (uint32_t)w[2];
	} else if (strcmp(word[1], "kernel") == 0 || strcmp(word[1], "copy") == 0 ||
		strcmp(word[1], "overhead") == 0) {
		sums.calls[nsum++] = (struct totals_call){ .region = *word[1] == 'k' ? TOTALS_KERNEL
				: *word[1] == 'c'				     ? TOTALS_COPY
						  : TOTALS_OVERHEAD,
			.name = word_read(word[2]),
			.device = w[1],
			.phase = w[2],
			.calls = w[3],
			.ticks = w[4],
			.outer = w[4],
			.shortest = w[4] / w[3],
			.longest = w[4] / w[3],
			.sent = w[5],
			.received = w[6] };
	} else if (strcmp(word[1], "call") == 0) {
		sums.calls[nsum++] = (struct totals_call){ .region = NUMBER_OF(region_names,
								   word[2]),
			.phase = w[1],
			.calls = w[2],
			.ticks = w[3],
			.outer = w[4],
			.shortest = w[3] / w[2],
			.longest = w[3] / w[2],
			.sent = w[5],
			.received = w[6],
			.moved = w[7] };
	} else if (strcmp(word[1], "span") == 0 || strcmp(word[1], "mark") == 0) {
		struct totals_mark mark = { NUMBER_OF(mark_names, word[2]), w[1], w[2], w[3] };

		if (*word[1] == 'm')
			sums.marks[sums.nmarks++] = mark;
		else
			spans[sums.spans] = (struct totals_span){ mark, w[4], w[5], { 0 } };
		if (*word[1] == 's')
			memcpy(spans[sums.spans++].parts, &w[6], sizeof(spans->parts));
	} else if (strcmp(word[1], "parts") == 0) {
		w[0] = word_read(word[2]);
		memcpy(sums.parts, w, sizeof(sums.parts));
	} else if (strcmp(word[1], "channel") == 0) {
		sums.channels[nsum++] = (struct totals_channel){ word_read(word[2]), w[1], w[2], 0,
			w[3], w[4] };
	} else if (strcmp(word[1], "comm") == 0) {
		sums.comms[nsum++] = (struct totals_comm){ word_read(word[2]), 0, w[1], 0 };
	} else {
		sums.requests[nsum++] = (struct totals_request){ .number = word_read(word[2]),
			.region = NUMBER_OF(region_names, word[3]),
			.type = SPOOL_P2P,
			.start = w[2],
			.handle = w[3],
			.peer = (int32_t)w[4],
			.tag = (int32_t)w[5],
			.sent = w[6],
			.received = w[6] };
	}
}

static void record_read(char **word, unsigned n)
{
	unsigned type = NUMBER_OF(type_names, word[1]), region;
	uint64_t words[64];

	region = strcmp(word[2], "-") == 0		   ? 0
		: type == SPOOL_BEGIN || type == SPOOL_END ? NUMBER_OF(mark_names, word[2])
							   : NUMBER_OF(region_names, word[2]);
	for (unsigned i = 7; i < n; i++)
		words[i - 7] = word_read(word[i]);
	record(type, region, atoi(word[3]), strtoul(word[4], NULL, 0), word_read(word[5]),
		word_read(word[6]), words, n - 7);
}

/* Like a training loop: reads, an exchange with a neighbour's request numbers, an all-reduce. */
static void fill(uint64_t count)
{
	uint64_t t = 1000, io[] = { 4096ull << 0 },
		 send[] = { spool_pair(process.rank, 7), spool_pair(64, 5) };
	uint64_t recv[] = { spool_pair(process.rank, 7), spool_pair(64, 6) };
	uint64_t done[] = { spool_pair(5, 64), spool_pair(6, 64) }, bytes[] = { 1 << 20 };

	for (uint64_t i = 0; i < count; i += 5, t += 5000) {
		record(SPOOL_IO_PLAIN, REGION_read, 0, 1, t, 300, io, 1);
		record(SPOOL_P2P, REGION_MPI_Isend, 0, 1, t + 1000, 200, send, 2);
		record(SPOOL_P2P, REGION_MPI_Irecv, 0, 1, t + 2000, 200, recv, 2);
		record(SPOOL_DONE_SHORT, REGION_MPI_Waitall, 0, 2, t + 3000, 500, done, 2);
		record(SPOOL_COLL, REGION_MPI_Allreduce, 0, 1, t + 4000, 900, bytes, 1);
	}
}

/* With -b, calls that can be brief are like the one before. */
static void handle_define(char **word)
{
	static struct spool_def_handle last;
	static char path[256], in[sizeof(folder)];
	static unsigned number;
	struct spool_def_handle handle = { .kind = NUMBER_OF(handle_kinds, word[2]),
		.ino = atoi(word[3]),
		.flags = strtoul(word[4], NULL, 0),
		.comm = 1 };
	struct spool_def_handle_like like = { .ino = handle.ino, .like = number };

	while (path[like.same] && path[like.same] == word[5][like.same])
		like.same++;
	if (brief.is_wanted && like.same && strcmp(in, folder) == 0 && last.kind == handle.kind &&
		last.flags == handle.flags)
		define(DEF_HANDLE_LIKE, atoi(word[1]), &like, sizeof(like), word[5] + like.same);
	else
		define(DEF_HANDLE, atoi(word[1]), &handle, sizeof(handle), word[5]);
	last = handle;
	number = atoi(word[1]);
	snprintf(path, sizeof(path), "%s", word[5]);
	snprintf(in, sizeof(in), "%s", folder);
}

/* What a process is; false for other commands, before which its definition is written. */
static int process_command(char **word)
{
	const char *c = word[0];

	if (strcmp(c, "process") == 0)
		process_open(word[1], atoi(word[2]), atoi(word[3]), atoi(word[4]));
	else if (strcmp(c, "node") == 0)
		snprintf(node, sizeof(node), "%s", word[1]);
	else if (strcmp(c, "child") == 0)
		process.is_child = 1;
	else if (strcmp(c, "tsc") == 0)
		process.clock = state.clock = SPOOL_CLOCK_TSC;
	else if (strcmp(c, "start") == 0)
		process.start = (struct spool_def_clock){ word_read(word[1]), word_read(word[2]),
			word_read(word[3]) };
	else
		return 0;
	return 1;
}

static void command(char **word, unsigned n)
{
	const char *c = word[0];

	if (process_command(word))
		return;
	process_flush();
	if (strcmp(c, "property") == 0) {
		define_property(word[1], word[2]);
	} else if (strcmp(c, "name") == 0) {
		define(DEF_NAME, atoi(word[1]), NULL, 0, word[2]);
	} else if (strcmp(c, "comm") == 0) {
		comm_define(word, n);
	} else if (strcmp(c, "window") == 0) {
		define(DEF_WINDOW, atoi(word[1]), &(uint64_t){ atoi(word[2]) }, 8, "");
	} else if (strcmp(c, "handle") == 0) {
		handle_define(word);
	} else if (strcmp(c, "pair") == 0) {
		define(DEF_CLOCK, 0,
			(uint64_t[]){ word_read(word[1]), word_read(word[2]), word_read(word[3]) },
			24, "");
	} else if (strcmp(c, "heartbeat") == 0) {
		state.heartbeat = word_read(word[1]);
	} else if (strcmp(c, "end") == 0) {
		define(DEF_END, 0,
			&(struct spool_def_end){ END_EXIT, n > 2 ? (int)word_read(word[2]) : 0,
				word_read(word[1]) },
			sizeof(struct spool_def_end), "");
	} else if (strcmp(c, "lost") == 0) {
		head.lost[atoi(word[1])] = atoi(word[2]);
	} else if (strcmp(c, "thread") == 0) {
		thread_open(atoi(word[1]), word[2]);
	} else if (strcmp(c, "gpu") == 0) {
		thread_open(atoi(word[1]), word[2]);
		head.kind = SPOOL_KIND_GPU;
		head.is_main = 0;
	} else if (strcmp(c, "inside") == 0) {
		head.inside[atoi(word[1])] = (struct spool_inside){
			.region = NUMBER_OF(region_names, word[2]),
			.start = word_read(word[3]),
			.arg = n > 4 ? word_read(word[4]) : 0
		};
	} else if (strcmp(c, "rec") == 0) {
		record_read(word, n);
	} else if (strcmp(c, "summed") == 0) {
		summed(word);
	} else if (strcmp(c, "sum") == 0) {
		sum(word, n);
	} else if (strcmp(c, "keep") == 0) {
		keep();
	} else if (strcmp(c, "kept") == 0) {
		kept_end();
	} else if (strcmp(c, "give") == 0) {
		give(n > 1 ? word_read(word[1]) : sizeof(spans) / sizeof(*spans));
	} else if (strcmp(c, "given") == 0) {
		given();
	} else if (strcmp(c, "fill") == 0) {
		fill(word_read(word[1]));
	} else if (!gpu_command(word, n)) {
		die(c);
	}
}

int main(int argc, char **argv)
{
	char line[8192], *word[80];

	brief.is_wanted = argc > 1 && strcmp(argv[1], "-b") == 0;
	if (argc != 2 + brief.is_wanted)
		die("usage: spool_make [-b] DIR < text");
	base = argv[argc - 1];
	while (fgets(line, sizeof(line), stdin)) {
		unsigned n = 0;

		line_number++;
		line[strcspn(line, "#\n")] = '\0';
		for (char *save, *w = strtok_r(line, " \t", &save); w && n < 79;
			w = strtok_r(NULL, " \t", &save))
			word[n++] = w;
		if (n)
			command(word, n);
	}
	process_flush();
	process_close();
	return 0;
}
