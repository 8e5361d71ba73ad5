/*
 * archive_make.c - small archives as other tools write them, and as nobody
 * should. usage: archive_make KIND DIR writes DIR/traces.otf2.
 *
 *   bare 2 processes: no communicator, list of ranks or node, paradigms and a region unknown
 *   openmp 1 process, 2 threads: a parallel region with its barrier; a worker waits between regions
 *   metrics 1 process, a metric location of another tool: a double gauge and a counter of no known
 *   name
 *   names 1 process whose names hold newlines, SQL, escape sequences and bytes that are no UTF-8
 *   cyclic tree nodes and groups that are their own parents, references that lead nowhere,
 *   definitions twice
 *   backwards times of one of 2 locations that go back
 *   windows 2 processes, a fence of one-sided communication; the first one's last record is none
 *   that reports a call
 *   contexts 2 processes whose stacks were unwound: calling contexts instead of regions, samples
 *   failed 1 process: reads of 100 bytes, of which the second one failed with -1
 *   tau 2 processes: functions with brackets after their names, a barrier of OpenMP and a copy of
 *   the first of 2 GPUs of the first one that only their names show
 *   rocprof 1 process, accelerators that nobody created, one of which is a processor: a kernel,
 *   copies to both, memory that is allocated
 *   scorep 3 processes by Score-P, which counts collectives for all ranks that their bytes go to
 *   runtimes 1 process: calls of OpenCL, OpenACC, SHMEM and pthreads
 *   uncompleted 2 processes: a message whose receive is posted, but never reported to be complete
 *   noise 2 processes: an all-reduce and a message of more bytes than can be
 *   cut 2 processes, of which the first one ends inside of a receive
 *   epoch 2 processes whose times are ns since 1970, with a clock that begins then
 *   records 1 process, 3 threads: records of all kinds over several chunks; one with long records
 *   and attributes of all types, one with a kind that tacho leaves to libotf2 in its middle
 */
#include "config.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STRINGS = 64, LOCATIONS = 5 };

#define NOWHERE 77

struct maker {
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	OTF2_EvtWriter *events[LOCATIONS];
	uint64_t counts[LOCATIONS];
	uint32_t nstrings;
	char *strings[MAX_STRINGS];
};

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
	void *caller, bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = pre_flush };

static uint32_t string(struct maker *m, const char *text)
{
	for (uint32_t i = 0; i < m->nstrings; i++)
		if (strcmp(m->strings[i], text) == 0)
			return i;
	m->strings[m->nstrings] = strdup(text);
	OTF2_GlobalDefWriter_WriteString(m->defs, m->nstrings, text);
	return m->nstrings++;
}

static void region(struct maker *m, uint32_t ref, const char *name, OTF2_RegionRole role,
	OTF2_Paradigm paradigm)
{
	uint32_t text = string(m, name);

	OTF2_GlobalDefWriter_WriteRegion(m->defs, ref, text, text, string(m, ""), role, paradigm,
		OTF2_REGION_FLAG_NONE, string(m, ""), 0, 0);
}

static void function(struct maker *m, uint32_t ref, const char *name)
{
	region(m, ref, name, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_UNKNOWN);
}

static void functions(struct maker *m, const char *const *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		function(m, i, names[i]);
}

static void process(struct maker *m, uint32_t ref, const char *name, uint32_t node)
{
	OTF2_GlobalDefWriter_WriteLocationGroup(m->defs, ref, string(m, name),
		OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP);
}

static void location(struct maker *m, uint32_t ref, const char *name, uint32_t group)
{
	OTF2_GlobalDefWriter_WriteLocation(m->defs, ref, string(m, name),
		OTF2_LOCATION_TYPE_CPU_THREAD, m->counts[ref], group);
}

static void call(struct maker *m, int at, uint32_t ref, uint64_t begin, uint64_t end)
{
	OTF2_EvtWriter_Enter(m->events[at], NULL, begin, ref);
	OTF2_EvtWriter_Leave(m->events[at], NULL, end, ref);
}

static void bare_events(struct maker *m)
{
	for (int i = 0; i < 2; i++) {
		OTF2_EvtWriter_Enter(m->events[i], NULL, 0, 0);
		call(m, i, 1, 100, 300);
		call(m, i, 2, 300, 350);
		call(m, i, 3, 400, 460);
		call(m, i, 4, 500, 540);
		call(m, i, NOWHERE, 600, 650);
		call(m, i, 5, 700, 730);
		OTF2_EvtWriter_Leave(m->events[i], NULL, 1000, 0);
	}
}

static void bare_definitions(struct maker *m)
{
	functions(m,
		(const char *[]){ "main", "MPI_Allreduce", "cudaMemcpy", "pread64", "sem_wait",
			"MPI_File_write" },
		6);
	process(m, 0, "first", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	process(m, 1, "second", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	location(m, 0, "a", 0);
	location(m, 1, "b", 1);
}

static void openmp_events(struct maker *m)
{
	OTF2_EvtWriter_Enter(m->events[0], NULL, 0, 0);
	for (int i = 0; i < 2; i++) {
		OTF2_EvtWriter_Enter(m->events[i], NULL, 200, 1);
		call(m, i, 2, i ? 500 : 560, 600);
		OTF2_EvtWriter_Leave(m->events[i], NULL, 600, 1);
	}
	OTF2_EvtWriter_Enter(m->events[1], NULL, 800, 1);
	OTF2_EvtWriter_Leave(m->events[1], NULL, 900, 1);
	OTF2_EvtWriter_Leave(m->events[0], NULL, 1000, 0);
}

static void openmp_definitions(struct maker *m)
{
	function(m, 0, "main");
	region(m, 1, "!$omp parallel @train.c:12", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP);
	region(m, 2, "!$omp implicit barrier @train.c:40", OTF2_REGION_ROLE_IMPLICIT_BARRIER,
		OTF2_PARADIGM_OPENMP);
	process(m, 0, "Process", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	location(m, 0, "Master thread", 0);
	location(m, 1, "OMP thread 1", 0);
}

static void metrics_events(struct maker *m)
{
	OTF2_Type types[] = { OTF2_TYPE_DOUBLE, OTF2_TYPE_UINT64 };

	call(m, 0, 0, 0, 1000);
	for (uint64_t t = 100; t <= 900; t += 400) {
		OTF2_MetricValue values[] = { { .floating_point = 0.5 * (double)t },
			{ .unsigned_int = t } };

		OTF2_EvtWriter_Metric(m->events[1], NULL, t, 0, 2, types, values);
		OTF2_EvtWriter_Metric(m->events[1], NULL, t, NOWHERE, 2, types, values);
	}
}

static void metrics_definitions(struct maker *m)
{
	OTF2_MetricMemberRef members[] = { 0, 1 };

	function(m, 0, "main");
	OTF2_GlobalDefWriter_WriteSystemTreeNode(m->defs, 0, string(m, "host"), string(m, "node"),
		OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	process(m, 0, "Process", 0);
	location(m, 0, "Master thread", 0);
	OTF2_GlobalDefWriter_WriteLocation(m->defs, 1, string(m, "PAPI"), OTF2_LOCATION_TYPE_METRIC,
		m->counts[1], 0);
	OTF2_GlobalDefWriter_WriteMetricMember(m->defs, 0, string(m, "temperature"), string(m, ""),
		OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE,
		OTF2_BASE_DECIMAL, 0, string(m, "K"));
	OTF2_GlobalDefWriter_WriteMetricMember(m->defs, 1, string(m, "PAPI_TOT_INS"), string(m, ""),
		OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
		OTF2_BASE_DECIMAL, 0, string(m, "#"));
	OTF2_GlobalDefWriter_WriteMetricClass(m->defs, 0, 2, members, OTF2_METRIC_ASYNCHRONOUS,
		OTF2_RECORDER_KIND_CPU);
}

static void names_events(struct maker *m)
{
	OTF2_EvtWriter_Enter(m->events[0], NULL, 0, 0);
	call(m, 0, 1, 100, 300);
	call(m, 0, 2, 400, 500);
	call(m, 0, 3, 500, 600);
	OTF2_EvtWriter_Leave(m->events[0], NULL, 1000, 0);
}

static void names_definitions(struct maker *m)
{
	OTF2_AttributeValue value;

	function(m, 0, "main\n\033[2J\033]0;owned\007");
	function(m, 1, "MPI_\033[31mSend\r\nline");
	function(m, 2, "cuda'); drop table run; --");
	function(m, 3,
		"MPI_\xff\xfe\xc2\x9b"
		"31m \xe2\x80\xae"
		"desrever");
	OTF2_GlobalDefWriter_WriteSystemTreeNode(m->defs, 0, string(m, "ho\033[5mst\n"),
		string(m, "node"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	process(m, 0, "Pro\033cess\b\b", 0);
	location(m, 0, "Master\tthread\033[H", 0);
	value.stringRef = string(m, "3.14\033[1m\n");
	OTF2_GlobalDefWriter_WriteLocationProperty(m->defs, 0, string(m, "tacho.inside"),
		OTF2_TYPE_STRING, value);
	OTF2_GlobalDefWriter_WriteLocationProperty(m->defs, 0,
		string(m, "tacho.lost.\033[7mdisk\n"), OTF2_TYPE_STRING, value);
}

static void cyclic_events(struct maker *m)
{
	call(m, 0, 0, 0, 1000);
	call(m, 1, 0, 0, 500);
}

static void cyclic_definitions(struct maker *m)
{
	uint32_t node = string(m, "tree");

	function(m, 0, "main");
	function(m, 0, "main again");
	for (uint32_t i = 0; i < 3; i++)
		OTF2_GlobalDefWriter_WriteSystemTreeNode(m->defs, i, node, node, (i + 1) % 3);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(m->defs, 1, node, node, 1);
	OTF2_GlobalDefWriter_WriteLocationGroup(m->defs, 0, node, OTF2_LOCATION_GROUP_TYPE_PROCESS,
		0, 0);
	OTF2_GlobalDefWriter_WriteLocationGroup(m->defs, 1, node,
		OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, NOWHERE, 1);
	location(m, 0, "first", 0);
	location(m, 1, "lost", 1);
	OTF2_GlobalDefWriter_WriteComm(m->defs, 0, node, NOWHERE, 0, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteComm(m->defs, 0, node, 0, 0, OTF2_COMM_FLAG_NONE);
}

static void backwards_events(struct maker *m)
{
	call(m, 0, 0, 0, 1000);
	call(m, 1, 0, 200, 500);
	call(m, 1, 0, 100, 900);
}

static void backwards_definitions(struct maker *m)
{
	function(m, 0, "main");
	for (uint32_t i = 0; i < 2; i++) {
		process(m, i, i ? "second" : "first", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
		location(m, i, i ? "b" : "a", i);
	}
}

/* Numbers of all lengths, and the ones that represent "none". */
static uint64_t number_of(uint64_t i)
{
	static const uint64_t numbers[] = { 0, 1, 200, 300, 70000, 20000000, UINT32_MAX - 1,
		UINT64_C(1) << 33, UINT64_C(1) << 41, UINT64_C(1) << 50, UINT64_C(1) << 60,
		UINT64_MAX };

	return numbers[i % (sizeof(numbers) / sizeof(numbers[0]))];
}

static void attributes_add(OTF2_AttributeList *list, uint64_t i)
{
	if (!list)
		return;
	OTF2_AttributeList_AddUint8(list, 0, (uint8_t)i);
	OTF2_AttributeList_AddUint16(list, 1, (uint16_t)(i * 300));
	OTF2_AttributeList_AddUint32(list, 2, (uint32_t)number_of(i));
	OTF2_AttributeList_AddUint64(list, 3, number_of(i));
	OTF2_AttributeList_AddInt8(list, 4, (int8_t)-i);
	OTF2_AttributeList_AddInt16(list, 5, (int16_t)-i);
	OTF2_AttributeList_AddInt32(list, 6, (int32_t)-i);
	OTF2_AttributeList_AddInt64(list, 7, -(int64_t)i);
	OTF2_AttributeList_AddFloat(list, 8, (float)i / 7);
	OTF2_AttributeList_AddDouble(list, 9, (double)i / 7);
	OTF2_AttributeList_AddStringRef(list, 10, 0);
}

/* One of each; `list` may be NULL. */
static void records_all(OTF2_EvtWriter *w, OTF2_AttributeList *list, uint64_t t, uint64_t i)
{
	uint64_t n = number_of(i);
	uint32_t k = (uint32_t)n;
	OTF2_Type types[3] = { OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE };
	OTF2_MetricValue values[3] = { { .unsigned_int = n }, { .signed_int = -(int64_t)i },
		{ .floating_point = i / 3.0 } };

#define ADD(what, ...) attributes_add(list, i), OTF2_EvtWriter_##what(w, list, t, __VA_ARGS__)
	ADD(Enter, k);
	ADD(MeasurementOnOff, i % 2 ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
	ADD(MpiSend, k, k ^ 1, k ^ 2, n);
	ADD(MpiIsend, k, k ^ 1, k ^ 2, n, n ^ 3);
	ADD(MpiIsendComplete, n);
	ADD(MpiIrecvRequest, n);
	ADD(MpiRecv, k, k ^ 1, k ^ 2, n);
	ADD(MpiIrecv, k, k ^ 1, k ^ 2, n, n ^ 3);
	ADD(MpiRequestTest, n);
	ADD(MpiRequestCancelled, n);
	OTF2_EvtWriter_MpiCollectiveBegin(w, list, t);
	ADD(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, k, k ^ 1, n, n ^ 3);
	ADD(Metric, k, 3, types, values);
	ADD(ParameterUnsignedInt, k, n);
	ADD(RmaPut, k, k ^ 1, n, n ^ 3);
	ADD(RmaGet, k, k ^ 1, n, n ^ 3);
	ADD(RmaOpCompleteBlocking, k, n);
	ADD(IoCreateHandle, k, OTF2_IO_ACCESS_MODE_READ_WRITE, k ^ 1, k ^ 2);
	ADD(IoDestroyHandle, k);
	ADD(IoSeek, k, -(int64_t)i, OTF2_IO_SEEK_FROM_END, n);
	ADD(IoOperationBegin, k, OTF2_IO_OPERATION_MODE_WRITE, k ^ 1, n, n ^ 3);
	ADD(IoOperationComplete, k, n, n ^ 3);
	ADD(NonBlockingCollectiveRequest, n);
	ADD(NonBlockingCollectiveComplete, OTF2_COLLECTIVE_OP_BCAST, k, k ^ 1, n, n ^ 3, n ^ 4);
	ADD(Leave, k);
#undef ADD
}

static void records_events(struct maker *m)
{
	enum { ROUNDS = 3000, STRANGE = ROUNDS / 2, LONG = 200 };
	OTF2_AttributeList *list = OTF2_AttributeList_New();
	OTF2_Type types[LONG];
	OTF2_MetricValue values[LONG] = { { 0 } };

	for (int i = 0; i < LONG; i++)
		types[i] = OTF2_TYPE_UINT64, values[i].unsigned_int = UINT64_MAX - 7;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		records_all(m->events[0], NULL, i, i);
		records_all(m->events[1], list, i, i);
		OTF2_EvtWriter_Metric(m->events[1], NULL, i, 7, LONG, types, values);
		records_all(m->events[2], i % 5 ? NULL : list, i / 4, i);
		if (i == STRANGE)
			OTF2_EvtWriter_ThreadTeamBegin(m->events[2], NULL, i / 4, 0);
	}
	OTF2_AttributeList_Delete(list);
}

static void records_definitions(struct maker *m)
{
	static const OTF2_Type types[] = { OTF2_TYPE_UINT8, OTF2_TYPE_UINT16, OTF2_TYPE_UINT32,
		OTF2_TYPE_UINT64, OTF2_TYPE_INT8, OTF2_TYPE_INT16, OTF2_TYPE_INT32, OTF2_TYPE_INT64,
		OTF2_TYPE_FLOAT, OTF2_TYPE_DOUBLE, OTF2_TYPE_STRING };
	static const char *const names[] = { "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64",
		"float", "double", "text" };

	process(m, 0, "process", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint64_t i = 0; i < 3; i++)
		location(m, i, "thread", 0);
	for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		OTF2_GlobalDefWriter_WriteAttribute(m->defs, i, string(m, names[i]), string(m, ""),
			types[i]);
	function(m, 1, "one");
}

static void windows_events(struct maker *m)
{
	for (uint64_t i = 0; i < 2; i++) {
		OTF2_EvtWriter *events = m->events[i];
		uint64_t begin = i ? 300 : 100;

		OTF2_EvtWriter_Enter(events, NULL, 0, 0);
		OTF2_EvtWriter_Enter(events, NULL, begin, 1);
		OTF2_EvtWriter_RmaCollectiveBegin(events, NULL, begin);
		OTF2_EvtWriter_RmaCollectiveEnd(events, NULL, 400, OTF2_COLLECTIVE_OP_BARRIER,
			OTF2_RMA_SYNC_LEVEL_PROCESS, 5, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
		OTF2_EvtWriter_Leave(events, NULL, 400, 1);
		OTF2_EvtWriter_Leave(events, NULL, 900, 0);
	}
	OTF2_EvtWriter_RmaWinDestroy(m->events[0], NULL, 1000, 5);
}

static void windows_definitions(struct maker *m)
{
	uint64_t members[] = { 0, 1 };

	function(m, 0, "main");
	function(m, 1, "MPI_Win_fence");
	process(m, 0, "Rank 0", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	process(m, 1, "Rank 1", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	location(m, 0, "main thread", 0);
	location(m, 1, "main thread", 1);
	OTF2_GlobalDefWriter_WriteGroup(m->defs, 0, string(m, ""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, members);
	OTF2_GlobalDefWriter_WriteGroup(m->defs, 1, string(m, ""), OTF2_GROUP_TYPE_COMM_GROUP,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, members);
	OTF2_GlobalDefWriter_WriteComm(m->defs, 3, string(m, "MPI_COMM_WORLD"), 1,
		OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteRmaWin(m->defs, 5, string(m, "window"), 3,
		OTF2_RMA_WIN_FLAG_NONE);
}

/* 0 main, 1 in solve, which is not instrumented, MPI_Allreduce, 2 read, 3 leads nowhere */
static void contexts_events(struct maker *m)
{
	for (uint64_t i = 0; i < 2; i++) {
		OTF2_EvtWriter *events = m->events[i];
		uint64_t begin = i ? 300 : 100;

		OTF2_EvtWriter_CallingContextEnter(events, NULL, 0, 0, 2);
		OTF2_EvtWriter_CallingContextSample(events, NULL, 50, 4, 2, 0);
		OTF2_EvtWriter_CallingContextEnter(events, NULL, begin, 1, 3);
		OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, begin);
		OTF2_EvtWriter_CallingContextSample(events, NULL, 350, 1, 1, 0);
		OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, 400, OTF2_COLLECTIVE_OP_ALLREDUCE, 3,
			OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
		OTF2_EvtWriter_CallingContextLeave(events, NULL, 400, 1);
		OTF2_EvtWriter_CallingContextEnter(events, NULL, 500, 2, 2);
		OTF2_EvtWriter_CallingContextLeave(events, NULL, 540, 2);
		OTF2_EvtWriter_CallingContextEnter(events, NULL, 600, NOWHERE, 2);
		OTF2_EvtWriter_CallingContextLeave(events, NULL, 610, NOWHERE);
		OTF2_EvtWriter_CallingContextLeave(events, NULL, 900, 0);
		OTF2_EvtWriter_CallingContextSample(events, NULL, 1000, 0, 1, 0);
	}
}

static void contexts_definitions(struct maker *m)
{
	windows_definitions(m);
	region(m, 2, "MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI);
	function(m, 3, "read");
	function(m, 4, "solve");
	OTF2_GlobalDefWriter_WriteCallingContext(m->defs, 0, 0, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
		OTF2_UNDEFINED_CALLING_CONTEXT);
	OTF2_GlobalDefWriter_WriteCallingContext(m->defs, 4, 4, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
		0);
	OTF2_GlobalDefWriter_WriteCallingContext(m->defs, 1, 2, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
		4);
	OTF2_GlobalDefWriter_WriteCallingContext(m->defs, 2, 3, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
		0);
	OTF2_GlobalDefWriter_WriteCallingContext(m->defs, 2, 0, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
		0);
}

static void failed_events(struct maker *m)
{
	OTF2_EvtWriter_Enter(m->events[0], NULL, 0, 0);
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t t = 100 + 300 * i;

		OTF2_EvtWriter_Enter(m->events[0], NULL, t, 1);
		OTF2_EvtWriter_IoOperationBegin(m->events[0], NULL, t, 0,
			OTF2_IO_OPERATION_MODE_READ, OTF2_IO_OPERATION_FLAG_NONE, 100, i);
		OTF2_EvtWriter_IoOperationComplete(m->events[0], NULL, t + 100, 0,
			i == 1 ? UINT64_MAX : 100, i);
		OTF2_EvtWriter_Leave(m->events[0], NULL, t + 100, 1);
	}
	OTF2_EvtWriter_Leave(m->events[0], NULL, 1000, 0);
}

static void failed_definitions(struct maker *m)
{
	function(m, 0, "main");
	function(m, 1, "read");
	process(m, 0, "Process", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	location(m, 0, "Master thread", 0);
	OTF2_GlobalDefWriter_WriteIoParadigm(m->defs, 0, string(m, "POSIX"), string(m, "POSIX I/O"),
		OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL);
	OTF2_GlobalDefWriter_WriteIoRegularFile(m->defs, 0, string(m, "/data/samples"),
		OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	OTF2_GlobalDefWriter_WriteIoHandle(m->defs, 0, string(m, ""), 0, 0,
		OTF2_IO_HANDLE_FLAG_PRE_CREATED, OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
}

static void epoch_events(struct maker *m)
{
	uint64_t now = 1700000000000000000;

	call(m, 0, 0, now + 40, now + 1040);
	call(m, 1, 0, now + 50, now + 940);
}

static void epoch_definitions(struct maker *m)
{
	function(m, 0, "main");
	process(m, 0, "first", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	process(m, 1, "second", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	location(m, 0, "a", 0);
	location(m, 1, "b", 1);
}

static void tau_events(struct maker *m)
{
	for (int i = 0; i < 2; i++) {
		OTF2_EvtWriter_Enter(m->events[i], NULL, 0, 0);
		call(m, i, 1, i ? 250 : 100, 300);
		call(m, i, 2, 400, 440);
		call(m, i, 3, 500, 530);
		call(m, i, 4, 600, 660);
		OTF2_EvtWriter_Leave(m->events[i], NULL, 1000, 0);
	}
	call(m, 2, 5, 300, 500);
	call(m, 2, 6, 700, 800);
	call(m, 3, 5, 300, 400);
}

static void tau_definitions(struct maker *m)
{
	region(m, 0, ".TAU application", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER);
	region(m, 1, "MPI_Allreduce()", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI);
	region(m, 2, "pthread_join()", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD);
	region(m, 3, "OpenMP_Sync_Region_Barrier_Implicit ADDR <4011f6>", OTF2_REGION_ROLE_FUNCTION,
		OTF2_PARADIGM_OPENMP);
	region(m, 4, "OpenMP_Parallel_Region ADDR <4011f6>", OTF2_REGION_ROLE_FUNCTION,
		OTF2_PARADIGM_OPENMP);
	region(m, 5, "saxpy(int, float*)", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
	region(m, 6, "Memory copy DtoH", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
	process(m, 0, "group 0", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	process(m, 1, "group 1", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	location(m, 0, "Rank 0, CPU Thread 00", 0);
	location(m, 1, "Rank 1, CPU Thread 00", 1);
	OTF2_GlobalDefWriter_WriteLocation(m->defs, 2, string(m, "GPU0 Queue1"),
		OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, m->counts[2], 0);
	OTF2_GlobalDefWriter_WriteLocation(m->defs, 3, string(m, "GPU1 Queue1"),
		OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, m->counts[3], 0);
}

static void rocprof_events(struct maker *m)
{
	OTF2_EvtWriter_Enter(m->events[0], NULL, 0, 0);
	OTF2_EvtWriter_Leave(m->events[0], NULL, 1000, 0);
	call(m, 1, 1, 300, 600);
	call(m, 2, 2, 200, 280);
	call(m, 3, 3, 650, 750);
	call(m, 4, 4, 100, 180);
}

static void rocprof_definitions(struct maker *m)
{
	static const struct {
		const char *name;
		uint32_t group;
	} streams[] = {
		{ "Thread 41, Compute on GPU 1, Queue 0", 2 },
		{ "Thread 41, Copy to GPU 1", 2 },
		{ "Thread 41, Copy to CPU 0", 1 },
		{ "Thread 41, Memory Operation at GPU 1", 2 },
	};

	region(m, 0, "hipMemcpy", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_HIP);
	region(m, 1, "copy_kernel(float*, float const*)", OTF2_REGION_ROLE_FUNCTION,
		OTF2_PARADIGM_HIP);
	region(m, 2, "MEMORY_COPY_HOST_TO_DEVICE", OTF2_REGION_ROLE_DATA_TRANSFER,
		OTF2_PARADIGM_HIP);
	region(m, 3, "MEMORY_COPY_DEVICE_TO_HOST", OTF2_REGION_ROLE_DATA_TRANSFER,
		OTF2_PARADIGM_HIP);
	region(m, 4, "MEMORY_ALLOCATION_ALLOCATE", OTF2_REGION_ROLE_ALLOCATE, OTF2_PARADIGM_HIP);
	process(m, 0, "saxpy", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t i = 1; i < 3; i++)
		OTF2_GlobalDefWriter_WriteLocationGroup(m->defs, i,
			string(m, i == 1 ? "AMD EPYC 7763" : "gfx90a"),
			OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, OTF2_UNDEFINED_SYSTEM_TREE_NODE,
			OTF2_UNDEFINED_LOCATION_GROUP);
	location(m, 0, "Thread 41", 0);
	for (uint32_t i = 0; i < 4; i++)
		OTF2_GlobalDefWriter_WriteLocation(m->defs, i + 1, string(m, streams[i].name),
			OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, m->counts[i + 1], streams[i].group);
}

/* of 24 bytes each, but in place 25 */
static void scorep_events(struct maker *m)
{
	enum { RANKS = 3, SIZE = 24, PLACE = 25 };

	OTF2_Archive_SetCreator(m->archive, "Score-P 8.4");
	for (uint64_t i = 0; i < RANKS; i++) {
		const struct {
			OTF2_CollectiveOp op;
			uint64_t sent, received;
		} calls[] = {
			{ OTF2_COLLECTIVE_OP_ALLREDUCE, RANKS * SIZE, RANKS * SIZE },
			{ OTF2_COLLECTIVE_OP_ALLREDUCE, (RANKS - 1) * PLACE, (RANKS - 1) * PLACE },
			{ OTF2_COLLECTIVE_OP_BCAST, i ? 0 : RANKS * SIZE, SIZE },
			{ OTF2_COLLECTIVE_OP_REDUCE, SIZE, i ? 0 : RANKS * SIZE },
			{ OTF2_COLLECTIVE_OP_ALLGATHER, RANKS * SIZE / 3, RANKS * SIZE / 3 },
			{ OTF2_COLLECTIVE_OP_SCAN, (RANKS - i) * SIZE, (i + 1) * SIZE },
			{ OTF2_COLLECTIVE_OP_EXSCAN, (RANKS - i - 1) * SIZE, i * SIZE },
		};

		OTF2_EvtWriter_Enter(m->events[i], NULL, 0, 0);
		for (uint32_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++) {
			OTF2_EvtWriter_Enter(m->events[i], NULL, 100 + 100 * k, 1 + k);
			OTF2_EvtWriter_MpiCollectiveBegin(m->events[i], NULL, 100 + 100 * k);
			OTF2_EvtWriter_MpiCollectiveEnd(m->events[i], NULL, 112 + 100 * k,
				calls[k].op, 3,
				calls[k].op == OTF2_COLLECTIVE_OP_BCAST ||
						calls[k].op == OTF2_COLLECTIVE_OP_REDUCE
					? 0
					: OTF2_COLLECTIVE_ROOT_NONE,
				calls[k].sent, calls[k].received);
			OTF2_EvtWriter_Leave(m->events[i], NULL, 112 + 100 * k, 1 + k);
		}
		OTF2_EvtWriter_Leave(m->events[i], NULL, 1000, 0);
	}
}

static void scorep_definitions(struct maker *m)
{
	static const char *const names[] = { "main", "MPI_Allreduce", "MPI_Iallreduce", "MPI_Bcast",
		"MPI_Reduce", "MPI_Allgather", "MPI_Scan", "MPI_Exscan" };
	uint64_t members[] = { 0, 1, 2 };

	functions(m, names, sizeof(names) / sizeof(names[0]));
	for (uint32_t i = 0; i < 3; i++) {
		process(m, i, "MPI Rank", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
		location(m, i, "Master thread", i);
	}
	for (uint32_t i = 0; i < 2; i++)
		OTF2_GlobalDefWriter_WriteGroup(m->defs, i, string(m, ""),
			i ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_COMM_LOCATIONS,
			OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 3, members);
	OTF2_GlobalDefWriter_WriteComm(m->defs, 3, string(m, "MPI_COMM_WORLD"), 1,
		OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

static void cut_events(struct maker *m)
{
	for (int i = 0; i < 2; i++)
		OTF2_EvtWriter_Enter(m->events[i], NULL, 0, 0);
	OTF2_EvtWriter_Enter(m->events[0], NULL, 300, 1);
	OTF2_EvtWriter_MeasurementOnOff(m->events[0], NULL, 700, OTF2_MEASUREMENT_ON);
	call(m, 1, 1, 500, 600);
	OTF2_EvtWriter_Leave(m->events[1], NULL, 1000, 0);
}

static void cut_definitions(struct maker *m)
{
	function(m, 0, "main");
	function(m, 1, "MPI_Recv");
	process(m, 0, "first", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	process(m, 1, "second", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	location(m, 0, "a", 0);
	location(m, 1, "b", 1);
}

static void runtimes_events(struct maker *m)
{
	OTF2_EvtWriter_Enter(m->events[0], NULL, 0, 0);
	call(m, 0, 1, 100, 300);
	call(m, 0, 2, 300, 350);
	call(m, 0, 3, 400, 500);
	call(m, 0, 4, 600, 640);
	call(m, 0, 5, 700, 800);
	OTF2_EvtWriter_Leave(m->events[0], NULL, 1000, 0);
}

static void runtimes_definitions(struct maker *m)
{
	function(m, 0, "main");
	region(m, 1, "clFinish", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_OPENCL);
	region(m, 2, "acc_wait@train.c:12", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_OPENACC);
	region(m, 3, "shmem_putmem", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_SHMEM);
	region(m, 4, "pthread_mutex_lock", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_PTHREAD);
	region(m, 5, "solve", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER);
	process(m, 0, "Process", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	location(m, 0, "Master thread", 0);
}

/* The events of both processes; a world with its group. */
static void world_definitions(struct maker *m)
{
	uint64_t members[] = { 0, 1 };

	process(m, 0, "MPI Rank 0", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	process(m, 1, "MPI Rank 1", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	location(m, 0, "Master thread", 0);
	location(m, 1, "Master thread", 1);
	OTF2_GlobalDefWriter_WriteGroup(m->defs, 0, string(m, ""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, members);
	OTF2_GlobalDefWriter_WriteGroup(m->defs, 1, string(m, ""), OTF2_GROUP_TYPE_COMM_GROUP,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, members);
	OTF2_GlobalDefWriter_WriteComm(m->defs, 0, string(m, "MPI_COMM_WORLD"), 1,
		OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

static void uncompleted_events(struct maker *m)
{
	for (int i = 0; i < 2; i++) {
		OTF2_EvtWriter_Enter(m->events[i], NULL, 0, 0);
		OTF2_EvtWriter_Enter(m->events[i], NULL, 100, 1 + i);
		if (i == 0)
			OTF2_EvtWriter_MpiSend(m->events[i], NULL, 100, 1, 0, 5, 64);
		else
			OTF2_EvtWriter_MpiIrecvRequest(m->events[i], NULL, 100, 7);
		OTF2_EvtWriter_Leave(m->events[i], NULL, 120, 1 + i);
		if (i == 1)
			call(m, i, 3, 150, 400);
		OTF2_EvtWriter_Leave(m->events[i], NULL, 1000, 0);
	}
}

static void uncompleted_definitions(struct maker *m)
{
	functions(m, (const char *[]){ "main", "MPI_Send", "MPI_Irecv", "MPI_Wait" }, 4);
	world_definitions(m);
}

static void noise_events(struct maker *m)
{
	for (int i = 0; i < 2; i++) {
		OTF2_EvtWriter_Enter(m->events[i], NULL, 0, 0);
		OTF2_EvtWriter_Enter(m->events[i], NULL, 100, 1);
		OTF2_EvtWriter_MpiCollectiveBegin(m->events[i], NULL, 100);
		OTF2_EvtWriter_MpiCollectiveEnd(m->events[i], NULL, 200,
			OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_COLLECTIVE_ROOT_NONE,
			UINT64_C(0xb1a5b1a5b1a5b1a5), 8);
		OTF2_EvtWriter_Leave(m->events[i], NULL, 200, 1);
		OTF2_EvtWriter_Enter(m->events[i], NULL, 300, 2 + i);
		if (i == 0)
			OTF2_EvtWriter_MpiSend(m->events[i], NULL, 300, 1, 0, 5, UINT64_MAX - 5);
		else
			OTF2_EvtWriter_MpiRecv(m->events[i], NULL, 400, 0, 0, 5, 64);
		OTF2_EvtWriter_Leave(m->events[i], NULL, 400, 2 + i);
		OTF2_EvtWriter_Leave(m->events[i], NULL, 1000, 0);
	}
}

static void noise_definitions(struct maker *m)
{
	functions(m, (const char *[]){ "main", "MPI_Allreduce", "MPI_Send", "MPI_Recv" }, 4);
	world_definitions(m);
}

static const struct kind {
	const char *name;
	int nlocations;
	void (*events)(struct maker *m), (*definitions)(struct maker *m);
} kinds[] = {
#define KIND(name, nlocations)                                                                     \
	{                                                                                          \
#name, nlocations, name##_events, name##_definitions                               \
	}
	KIND(bare, 2),
	KIND(openmp, 2),
	KIND(metrics, 2),
	KIND(names, 1),
	KIND(cyclic, 2),
	KIND(backwards, 2),
	KIND(windows, 2),
	KIND(contexts, 2),
	KIND(failed, 1),
	KIND(epoch, 2),
	KIND(records, 3),
	KIND(tau, 4),
	KIND(rocprof, 5),
	KIND(scorep, 3),
	KIND(cut, 2),
	KIND(runtimes, 1),
	KIND(uncompleted, 2),
	KIND(noise, 2),
#undef KIND
};

static int archive_write(const struct kind *kind, const char *dir)
{
	struct maker m = { .archive = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, 1 << 18,
				   1 << 18, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE) };

	OTF2_Archive_SetFlushCallbacks(m.archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(m.archive);
	OTF2_Archive_OpenEvtFiles(m.archive);
	for (int i = 0; i < kind->nlocations; i++)
		m.events[i] = OTF2_Archive_GetEvtWriter(m.archive, i);
	kind->events(&m);
	for (int i = 0; i < kind->nlocations; i++) {
		OTF2_EvtWriter_GetNumberOfEvents(m.events[i], &m.counts[i]);
		OTF2_Archive_CloseEvtWriter(m.archive, m.events[i]);
	}
	OTF2_Archive_CloseEvtFiles(m.archive);
	m.defs = OTF2_Archive_GetGlobalDefWriter(m.archive);
	OTF2_GlobalDefWriter_WriteClockProperties(m.defs, 1000000000, 0, 1001,
		OTF2_UNDEFINED_TIMESTAMP);
	kind->definitions(&m);
	OTF2_Archive_CloseGlobalDefWriter(m.archive, m.defs);
	for (uint32_t i = 0; i < m.nstrings; i++)
		free(m.strings[i]);
	return OTF2_Archive_Close(m.archive) == OTF2_SUCCESS ? 0 : 1;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			return archive_write(&kinds[i], argv[2]);
	fprintf(stderr,
		"usage: archive_make bare|openmp|metrics|names|cyclic|backwards|windows|"
		"contexts|failed|epoch|records|tau|rocprof|scorep|cut|runtimes|uncompleted|noise DIR\n");
	return 2;
}
