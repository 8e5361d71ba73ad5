/* golden_defs.c - see golden.h. The definitions of a worked case. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "golden.h"

/* A region of a runtime: PARADIGM!NAME. */
static OTF2_Paradigm paradigm_take(const char **name)
{
	static const struct {
		const char *prefix;
		OTF2_Paradigm paradigm;
	} prefixes[] = {
		{ "openacc!", OTF2_PARADIGM_OPENACC },
		{ "pthread!", OTF2_PARADIGM_PTHREAD },
		{ "upc!", OTF2_PARADIGM_UPC },
		{ "shmem!", OTF2_PARADIGM_SHMEM },
		{ "cuda!", OTF2_PARADIGM_CUDA },
		{ "gaspi!", OTF2_PARADIGM_GASPI },
		{ "compiler!", OTF2_PARADIGM_COMPILER },
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(*name, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0) {
			*name += strlen(prefixes[i].prefix);
			return prefixes[i].paradigm;
		}
	return OTF2_PARADIGM_UNKNOWN;
}

static void region_define(struct writer *w, uint32_t i)
{
	const char *name = w->names[i];
	OTF2_Paradigm paradigm = paradigm_take(&name);
	bool mpi = strncmp(name, "MPI_", 4) == 0, cuda = strncmp(name, "cu", 2) == 0;
	bool phase = strncmp(name, "phase:", 6) == 0, step = strcmp(name, "step:") == 0;
	bool user = phase || step || strncmp(name, "torch:", 6) == 0;
	uint32_t shown = phase	      ? golden_string(w, name + 6)
		: step		      ? golden_string(w, "step")
		: name != w->names[i] ? golden_string(w, name)
				      : i;
	uint32_t about = golden_string(w, phase ? "tacho.phase" : step ? "tacho.step" : "");

	OTF2_GlobalDefWriter_WriteRegion(w->defs, i, shown, shown, about,
		step		? OTF2_REGION_ROLE_LOOP
			: phase ? OTF2_REGION_ROLE_CODE
				: OTF2_REGION_ROLE_FUNCTION,
		mpi	       ? OTF2_PARADIGM_MPI
			: cuda ? OTF2_PARADIGM_CUDA
			: user ? OTF2_PARADIGM_USER
			       : paradigm,
		OTF2_REGION_FLAG_NONE, golden_string(w, ""), 0, 0);
}

/* A reader needs strings before what refers to them, so all of them are named first. */
static void strings(struct writer *w)
{
	static const char *const fixed[] = { "machine", "node", "main", "MPI_COMM_WORLD",
		"tacho.step", "tacho.phase", "step", "PAPI_TOT_INS", "PAPI_TOT_CYC" };
	char name[32];

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		golden_string(w, fixed[i]);
	for (int i = 0, n = w->nnames; i < n; i++) {
		const char *shown = w->names[i];

		if (strncmp(shown, "phase:", 6) == 0)
			golden_string(w, shown + 6);
		else if (w->is_region[i] && paradigm_take(&shown) != OTF2_PARADIGM_UNKNOWN)
			golden_string(w, shown);
	}
	for (int i = 0; i < w->ranks; i++) {
		snprintf(name, sizeof(name), "rank %d", i);
		golden_string(w, name);
		golden_string(w, w->neighbours[i]);
		golden_string(w, w->values[i]);
		snprintf(name, sizeof(name), "n%d", w->nodes[i]);
		golden_string(w, name);
	}
	for (int i = 0; i < ATTRIBUTES; i++)
		golden_string(w, golden_attributes[i].name);
	golden_string(w, "tacho.parent");
	golden_string(w, "tacho.neighbours.0");
	golden_string(w, "tacho.values.0");
	golden_string(w, "tacho.device.uuid");
	golden_string(w, "tacho.device.name");
	golden_string(w, "tacho.stream.kind");
	for (int i = 0; i < w->nextras; i++) {
		golden_string(w, w->extras[i].name);
		golden_string(w, w->extras[i].uuid);
		golden_string(w, w->extras[i].gpu);
		golden_string(w, w->extras[i].order);
	}
	for (int i = 0; i < w->nnames; i++)
		OTF2_GlobalDefWriter_WriteString(w->defs, i, w->names[i]);
}

static void property_define(struct writer *w, uint32_t group, const char *name, const char *value)
{
	OTF2_AttributeValue text = { .stringRef = golden_string(w, value) };

	OTF2_GlobalDefWriter_WriteLocationGroupProperty(w->defs, group, golden_string(w, name),
		OTF2_TYPE_STRING, text);
}

/*
 * Group of an extra location: a rank's is its number; 100 per rank for devices; children from 10000
 * on.
 */
static uint32_t group_of(const struct extra *extra)
{
	return extra->kind == 'c' ? 9000u + (unsigned)extra->process
		: extra->kind == 't' || extra->inside
		? extra->process >= 1000 ? 9000u + (unsigned)extra->process
					 : (unsigned)extra->process
		: 20000u + 100u * (unsigned)extra->process + extra->device;
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
			OTF2_GlobalDefWriter_WriteLocationGroup(w->defs, group,
				golden_string(w, extra->name), OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
				w->nodes[extra->process] + 1, extra->process);
			if (*extra->uuid)
				property_define(w, group, "tacho.device.uuid", extra->uuid);
			if (*extra->gpu)
				property_define(w, group, "tacho.device.name", extra->gpu);
		} else if (!known) {
			snprintf(parent, sizeof(parent), "rank %d", w->child_of[i]);
			OTF2_GlobalDefWriter_WriteLocationGroup(w->defs, group,
				golden_string(w, extra->name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
				w->nodes[w->child_of[i]] + 1, OTF2_UNDEFINED_LOCATION_GROUP);
			property_define(w, group, "tacho.parent", parent);
		}
		OTF2_GlobalDefWriter_WriteLocation(w->defs, 1000 + i, golden_string(w, extra->name),
			extra->kind == 's' ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
					   : OTF2_LOCATION_TYPE_CPU_THREAD,
			extra->count, group);
		if (*extra->order)
			OTF2_GlobalDefWriter_WriteLocationProperty(w->defs, 1000 + i,
				golden_string(w, "tacho.stream.kind"), OTF2_TYPE_STRING,
				(OTF2_AttributeValue){
					.stringRef = golden_string(w, extra->order) });
	}
}

/* Communicator 1: even ranks, and odd ones. */
static void inter_define(struct writer *w)
{
	for (uint32_t side = 0; side < 2; side++) {
		uint64_t members[MAX_RANKS];
		uint32_t n = 0;

		for (int i = (int)side; i < w->ranks; i += 2)
			members[n++] = (uint64_t)i;
		OTF2_GlobalDefWriter_WriteGroup(w->defs, 2 + side, golden_string(w, ""),
			OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n,
			members);
	}
	OTF2_GlobalDefWriter_WriteInterComm(w->defs, 1, golden_string(w, ""), 2, 3, 0,
		OTF2_COMM_FLAG_NONE);
}

/* MPI_COMM_SELF, and a communicator of rank 0 alone. */
static void small_define(struct writer *w)
{
	const uint64_t member = 0;

	if (w->has_comm[COMM_SELF]) {
		OTF2_GlobalDefWriter_WriteGroup(w->defs, 4, golden_string(w, ""),
			OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0,
			NULL);
		OTF2_GlobalDefWriter_WriteComm(w->defs, COMM_SELF, golden_string(w, ""), 4,
			OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	}
	if (w->has_comm[COMM_ONE]) {
		OTF2_GlobalDefWriter_WriteGroup(w->defs, 5, golden_string(w, ""),
			OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 1,
			&member);
		OTF2_GlobalDefWriter_WriteComm(w->defs, COMM_ONE, golden_string(w, ""), 5,
			OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	}
}

/* Handle 0 of the file that all ranks share, 1 of one that a rank has for itself. */
static void files_define(struct writer *w)
{
	OTF2_GlobalDefWriter_WriteIoParadigm(w->defs, 0, golden_string(w, ""), golden_string(w, ""),
		OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL);
	for (uint32_t i = 0; i < 2; i++) {
		OTF2_GlobalDefWriter_WriteIoRegularFile(w->defs, i, golden_string(w, "main"), 1);
		OTF2_GlobalDefWriter_WriteIoHandle(w->defs, i, golden_string(w, ""), i, 0,
			OTF2_IO_HANDLE_FLAG_NONE, i ? OTF2_UNDEFINED_COMM : COMM_WORLD,
			OTF2_UNDEFINED_IO_HANDLE);
	}
}

/* As Score-P records PAPI counters: of each thread, at its events. */
static void counters_define(struct writer *w)
{
	static const char *const names[] = { "PAPI_TOT_INS", "PAPI_TOT_CYC" };
	const OTF2_MetricMemberRef members[] = { 0, 1 };

	for (uint32_t i = 0; i < 2; i++)
		OTF2_GlobalDefWriter_WriteMetricMember(w->defs, i, golden_string(w, names[i]),
			golden_string(w, ""), OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ACCUMULATED_START,
			OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, golden_string(w, ""));
	OTF2_GlobalDefWriter_WriteMetricClass(w->defs, 0, 2, members,
		OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU);
}

void golden_definitions(struct writer *w)
{
	uint64_t members[MAX_RANKS];
	char name[32];
	int nodes = 0;

	strings(w);

	OTF2_GlobalDefWriter_WriteClockProperties(w->defs, 1000000000, 0, w->last + 1,
		OTF2_UNDEFINED_TIMESTAMP);
	for (int i = 0, n = w->nnames; i < n; i++)
		if (w->is_region[i])
			region_define(w, i);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, 0, golden_string(w, "machine"),
		golden_string(w, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (int i = 0; i < w->ranks; i++)
		nodes = w->nodes[i] >= nodes ? w->nodes[i] + 1 : nodes;
	for (int i = 0; i < nodes; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, i + 1, golden_string(w, name),
			golden_string(w, "node"), 0);
	}
	for (int i = 0; i < w->ranks; i++) {
		snprintf(name, sizeof(name), "rank %d", i);
		OTF2_GlobalDefWriter_WriteLocationGroup(w->defs, i, golden_string(w, name),
			OTF2_LOCATION_GROUP_TYPE_PROCESS, w->nodes[i] + 1,
			OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(w->defs, i, golden_string(w, "main"),
			OTF2_LOCATION_TYPE_CPU_THREAD, w->counts[i], i);
		if (*w->neighbours[i])
			property_define(w, (uint32_t)i, "tacho.neighbours.0", w->neighbours[i]);
		if (*w->values[i])
			property_define(w, (uint32_t)i, "tacho.values.0", w->values[i]);
		members[i] = i;
	}
	OTF2_GlobalDefWriter_WriteGroup(w->defs, 0, golden_string(w, ""),
		OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, w->ranks,
		members);
	OTF2_GlobalDefWriter_WriteGroup(w->defs, 1, golden_string(w, ""),
		OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, w->ranks,
		members);
	OTF2_GlobalDefWriter_WriteComm(w->defs, 0, golden_string(w, "MPI_COMM_WORLD"), 1,
		OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	if (w->has_comm[COMM_INTER])
		inter_define(w);
	small_define(w);
	if (w->has_window)
		OTF2_GlobalDefWriter_WriteRmaWin(w->defs, 0, golden_string(w, ""), COMM_WORLD,
			OTF2_RMA_WIN_FLAG_NONE);
	if (w->has_file)
		files_define(w);
	if (w->has_counters)
		counters_define(w);
	extras_define(w);
	for (int k = 1; k < ATTRIBUTES; k++)
		OTF2_GlobalDefWriter_WriteAttribute(w->defs, k,
			golden_string(w, golden_attributes[k].name), golden_string(w, ""),
			golden_attributes[k].type);
	OTF2_GlobalDefWriter_WriteAttribute(w->defs, 0, golden_string(w, "tacho.step"),
		golden_string(w, ""), OTF2_TYPE_UINT64);
}

void golden_local_definitions(struct writer *w)
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
		OTF2_Archive_CloseDefWriter(w->archive,
			OTF2_Archive_GetDefWriter(w->archive, 1000 + i));
	OTF2_Archive_CloseDefFiles(w->archive);
}
