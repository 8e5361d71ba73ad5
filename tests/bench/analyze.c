/*
 * analyze.c - how fast archives are read. `analyze write DIR EVENTS LOCATIONS mpi|nccl [BUCKETS]`
 * makes one: ranks that compute, call user functions, pass messages round a ring and reduce,
 * BUCKETS times a step; or ranks with a GPU stream each, every second location, that launch kernels
 * and reduce by NCCL. `analyze read ARCHIVE` is the bare libotf2 loop, location by location, that
 * tacho is measured against; it prints events and seconds.
 */
#include "config.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	FUNCTIONS = 32,
	CALLS = 40,
	LAUNCHES = 20,
	SEND = FUNCTIONS,
	RECV,
	ALLREDUCE,
	LAUNCH,
	SYNC,
	NCCL,
	KERNEL,
	NCCL_KERNEL,
	MAIN,
	NREGIONS,
	FIRST_STRING = NREGIONS
};

/* Attributes by number, as in the contract of tacho's archives. */
enum { CORRELATION, DEVICE, STREAM, COMM, SEQ, BYTES, OP, NATTRIBUTES };
static const char *const attribute_names[NATTRIBUTES] = {
	"tacho.correlation",
	"tacho.device",
	"tacho.stream",
	"tacho.comm",
	"tacho.seq",
	"tacho.bytes",
	"tacho.op",
};
enum {
	OP_STRING = FIRST_STRING + 1,
	ATTRIBUTE_STRING,
	LOCATION_STRING = ATTRIBUTE_STRING + NATTRIBUTES
};

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
	void *caller, bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static uint64_t buckets = 1; /* all-reduces of different size in a step, one a round */

/*
 * One round of every rank is the same in length up to a jitter; messages never arrive before they
 * are sent.
 */
static uint64_t rank_write(OTF2_EvtWriter *events, uint32_t rank, uint32_t n, uint64_t rounds)
{
	uint64_t seed = rank + 1, count;

	OTF2_EvtWriter_Enter(events, NULL, 0, MAIN);
	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t t = round * 100000, jitter = random_next(&seed) % 10000,
			 bytes = 65536 * (1 + round % buckets);

		for (int call = 0; call < CALLS; call++) {
			uint64_t at = t + jitter + call * 1000;

			OTF2_EvtWriter_Enter(events, NULL, at, (uint32_t)call % FUNCTIONS);
			OTF2_EvtWriter_Leave(events, NULL, at + 600, (uint32_t)call % FUNCTIONS);
		}
		t += 60000 + jitter;
		OTF2_EvtWriter_Enter(events, NULL, t, SEND);
		OTF2_EvtWriter_MpiSend(events, NULL, t + 10, (rank + 1) % n, 0, 7, 4096);
		OTF2_EvtWriter_Leave(events, NULL, t + 500, SEND);
		OTF2_EvtWriter_Enter(events, NULL, t + 600, RECV);
		OTF2_EvtWriter_MpiRecv(events, NULL, round * 100000 + 75000, (rank + n - 1) % n, 0,
			7, 4096);
		OTF2_EvtWriter_Leave(events, NULL, round * 100000 + 76000, RECV);
		OTF2_EvtWriter_Enter(events, NULL, round * 100000 + 80000, ALLREDUCE);
		OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, round * 100000 + 80000);
		OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, round * 100000 + 90000,
			OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_COLLECTIVE_ROOT_NONE, bytes, bytes);
		OTF2_EvtWriter_Leave(events, NULL, round * 100000 + 90000, ALLREDUCE);
	}
	OTF2_EvtWriter_Leave(events, NULL, rounds * 100000, MAIN);
	OTF2_EvtWriter_GetNumberOfEvents(events, &count);
	return count;
}

/* Attributes of a launch call, or of its activity. */
static OTF2_AttributeList *launch_set(OTF2_AttributeList *list, uint64_t correlation, bool call)
{
	OTF2_AttributeList_AddUint64(list, CORRELATION, correlation);
	if (call) {
		OTF2_AttributeList_AddUint64(list, DEVICE, 0);
		OTF2_AttributeList_AddUint64(list, STREAM, 0);
	}
	return list;
}

static OTF2_AttributeList *nccl_set(OTF2_AttributeList *list, uint64_t seq)
{
	OTF2_AttributeList_AddUint64(list, COMM, 1);
	OTF2_AttributeList_AddUint64(list, SEQ, seq);
	OTF2_AttributeList_AddUint64(list, BYTES, 1 << 20);
	OTF2_AttributeList_AddStringRef(list, OP, OP_STRING);
	return list;
}

/* A rank that launches LAUNCHES kernels a round and one of NCCL, and waits for its stream. */
static uint64_t host_write(OTF2_EvtWriter *events, uint32_t rank, uint64_t rounds)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();
	uint64_t seed = rank + 1, count, correlation = 1;

	OTF2_EvtWriter_Enter(events, NULL, 0, MAIN);
	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t t = round * 100000, at = t + random_next(&seed) % 10000;

		for (int call = 0; call <= LAUNCHES; call++, at += 1000) {
			if (call == LAUNCHES)
				OTF2_EvtWriter_Enter(events, nccl_set(list, round), at, NCCL);
			OTF2_EvtWriter_Enter(events, launch_set(list, correlation++, true), at + 10,
				LAUNCH);
			OTF2_EvtWriter_Leave(events, NULL, at + 600, LAUNCH);
			if (call == LAUNCHES)
				OTF2_EvtWriter_Leave(events, NULL, at + 700, NCCL);
		}
		OTF2_AttributeList_AddUint64(list, DEVICE, 0);
		OTF2_AttributeList_AddUint64(list, STREAM, 0);
		OTF2_EvtWriter_Enter(events, list, t + 50000, SYNC);
		OTF2_EvtWriter_Leave(events, NULL, t + 80100, SYNC);
	}
	OTF2_EvtWriter_Leave(events, NULL, rounds * 100000, MAIN);
	OTF2_AttributeList_Delete(list);
	OTF2_EvtWriter_GetNumberOfEvents(events, &count);
	return count;
}

static uint64_t stream_write(OTF2_EvtWriter *events, uint32_t rank, uint64_t rounds)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();
	uint64_t seed = rank + 1, count, correlation = 1;

	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t t = round * 100000, at = t + random_next(&seed) % 10000 + 5000;

		for (int call = 0; call < LAUNCHES; call++, at += 1000) {
			OTF2_EvtWriter_Enter(events, launch_set(list, correlation++, false), at,
				KERNEL);
			OTF2_EvtWriter_Leave(events, NULL, at + 900, KERNEL);
		}
		OTF2_EvtWriter_Enter(events,
			nccl_set(launch_set(list, correlation++, false), round), at, NCCL_KERNEL);
		OTF2_EvtWriter_Leave(events, NULL, t + 80000, NCCL_KERNEL);
	}
	OTF2_AttributeList_Delete(list);
	OTF2_EvtWriter_GetNumberOfEvents(events, &count);
	return count;
}

static void attributes_write(OTF2_GlobalDefWriter *defs)
{
	OTF2_GlobalDefWriter_WriteString(defs, OP_STRING, "allreduce");
	for (int i = 0; i < NATTRIBUTES; i++) {
		OTF2_GlobalDefWriter_WriteString(defs, ATTRIBUTE_STRING + i, attribute_names[i]);
		OTF2_GlobalDefWriter_WriteAttribute(defs, i, ATTRIBUTE_STRING + i, OP_STRING,
			i == OP ? OTF2_TYPE_STRING : OTF2_TYPE_UINT64);
	}
}

/* The stream of rank i is location n + i of a separate accelerator group. */
static void streams_define(OTF2_GlobalDefWriter *defs, const uint64_t *counts, uint32_t n)
{
	uint32_t string = LOCATION_STRING + n;

	OTF2_GlobalDefWriter_WriteString(defs, string, "CUDA[0:0]");
	for (uint32_t i = n; i < 2 * n; i++) {
		OTF2_GlobalDefWriter_WriteLocationGroup(defs, i, string,
			OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, i - n);
		OTF2_GlobalDefWriter_WriteLocation(defs, i, string,
			OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, counts[i], i);
	}
}

static OTF2_Paradigm paradigm_of(int region)
{
	if (region < FUNCTIONS || region == MAIN)
		return OTF2_PARADIGM_USER;
	return region < LAUNCH ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_CUDA;
}

static void definitions_write(OTF2_GlobalDefWriter *defs, const uint64_t *counts, uint32_t n,
	uint64_t end)
{
	static const char *const names[] = {
		[SEND] = "MPI_Send",
		[RECV] = "MPI_Recv",
		[ALLREDUCE] = "MPI_Allreduce",
		[LAUNCH] = "cudaLaunchKernel",
		[SYNC] = "cudaStreamSynchronize",
		[NCCL] = "ncclAllReduce",
		[KERNEL] = "sgemm",
		[NCCL_KERNEL] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
		[MAIN] = "main"
	};
	uint64_t *members = calloc(n, sizeof(*members));
	char name[32];

	OTF2_GlobalDefWriter_WriteClockProperties(defs, 1000000000, 0, end + 1,
		OTF2_UNDEFINED_TIMESTAMP);
	for (int i = 0; i < NREGIONS; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		OTF2_GlobalDefWriter_WriteString(defs, i, i < FUNCTIONS ? name : names[i]);
		OTF2_GlobalDefWriter_WriteRegion(defs, i, i, i, i, OTF2_REGION_ROLE_FUNCTION,
			paradigm_of(i), OTF2_REGION_FLAG_NONE, i, 0, 0);
	}
	OTF2_GlobalDefWriter_WriteString(defs, FIRST_STRING, "node");
	OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 0, FIRST_STRING, FIRST_STRING,
		OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "rank %" PRIu32, i);
		OTF2_GlobalDefWriter_WriteString(defs, LOCATION_STRING + i, name);
		OTF2_GlobalDefWriter_WriteLocationGroup(defs, i, LOCATION_STRING + i,
			OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(defs, i, MAIN, OTF2_LOCATION_TYPE_CPU_THREAD,
			counts[i], i);
		members[i] = i;
	}
	OTF2_GlobalDefWriter_WriteGroup(defs, 0, MAIN, OTF2_GROUP_TYPE_COMM_LOCATIONS,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members);
	OTF2_GlobalDefWriter_WriteGroup(defs, 1, MAIN, OTF2_GROUP_TYPE_COMM_GROUP,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members);
	OTF2_GlobalDefWriter_WriteComm(defs, 0, MAIN, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	free(members);
}

/* Events of location i; of n ranks, which have a stream each after them. */
static uint64_t location_write(OTF2_EvtWriter *events, uint32_t i, uint32_t n, bool nccl,
	uint64_t rounds)
{
	if (!nccl)
		return rank_write(events, i, n, rounds);
	return i < n ? host_write(events, i, rounds) : stream_write(events, i - n, rounds);
}

static int archive_write(const char *dir, uint64_t nevents, uint32_t nlocations, bool nccl)
{
	static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = pre_flush };
	uint32_t n = nccl ? nlocations / 2 : nlocations;
	uint64_t rounds = nevents / n / (nccl ? 4 * LAUNCHES + 8 : 2 * CALLS + 10);
	uint64_t *counts = calloc(nlocations, sizeof(*counts));
	OTF2_Archive *archive = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, 1 << 18,
		1 << 22, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_GlobalDefWriter *defs;

	OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	OTF2_Archive_OpenEvtFiles(archive);
	for (uint32_t i = 0; i < nlocations; i++) {
		OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, i);

		counts[i] = location_write(events, i, n, nccl, rounds);
		OTF2_Archive_CloseEvtWriter(archive, events);
	}
	OTF2_Archive_CloseEvtFiles(archive);
	OTF2_Archive_OpenDefFiles(archive);
	for (uint32_t i = 0; i < nlocations; i++)
		OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i));
	OTF2_Archive_CloseDefFiles(archive);
	defs = OTF2_Archive_GetGlobalDefWriter(archive);
	definitions_write(defs, counts, n, rounds * 100000);
	attributes_write(defs);
	if (nccl)
		streams_define(defs, counts, n);
	OTF2_Archive_CloseGlobalDefWriter(archive, defs);
	free(counts);
	return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : 1;
}

static OTF2_CallbackCode on_region(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)position, (void)attributes, (void)region;
	*(uint64_t *)user += time & 1;
	return OTF2_CALLBACK_SUCCESS;
}

static int archive_read(const char *path)
{
	OTF2_Reader *reader = OTF2_Reader_Open(path);
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	uint64_t n = 0, total = 0, sum = 0, read;
	struct timespec begin, end;

	if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS)
		return 1;
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_region);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_region);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	OTF2_Reader_GetNumberOfLocations(reader, &n);
	for (uint64_t i = 0; i < n; i++)
		OTF2_Reader_SelectLocation(reader, i);
	OTF2_Reader_OpenEvtFiles(reader);
	for (uint64_t i = 0; i < n; i++) {
		OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, i);

		OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &sum);
		OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
		OTF2_Reader_CloseEvtReader(reader, events);
		total += read;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%" PRIu64 " %.3f\n", total,
		end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	OTF2_Reader_Close(reader);
	return 0;
}

int main(int argc, char **argv)
{
	buckets = argc > 6 && atoi(argv[6]) > 0 ? (uint64_t)atoi(argv[6]) : 1;
	if (argc >= 5 && strcmp(argv[1], "write") == 0 && atoi(argv[4]) > 1)
		return archive_write(argv[2], strtoull(argv[3], NULL, 10), (uint32_t)atoi(argv[4]),
			argc > 5 && strcmp(argv[5], "nccl") == 0);
	if (argc == 3 && strcmp(argv[1], "read") == 0)
		return archive_read(argv[2]);
	fputs("usage: analyze write DIR EVENTS LOCATIONS [mpi|nccl [BUCKETS]] | "
	      "analyze read ARCHIVE.otf2\n",
		stderr);
	return 2;
}
