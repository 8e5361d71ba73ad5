/* kineto_define.c - the definitions of the archive of a job's files. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kineto/kineto_job.h"
#include "otf2/otf2_out_strings.h"

#define UNKNOWN_HOST "unknown host"

static void define_texts(struct strings *s)
{
	static const char *const ops[TRACE_OP_COUNT] = {
		"",
#define OP(id, name) name,
		TRACE_OPS(OP)
#undef OP
	};

	for (unsigned i = 0; i < TRACE_OP_COUNT; i++)
		string_ref(s, ops[i]);
	string_ref(s, "pageable");
	string_ref(s, "pinned");
}

static void define_clock(const struct kineto_job *job, struct strings *s)
{
	int64_t length = 0;

	for (size_t i = 0; i < job->nranks; i++) {
		const struct kineto_rank *rank = &job->ranks[i];
		int64_t last = rank->last + rank->base + rank->offset - job->zero;

		length = last > length ? last : length;
	}
	s->error |= OTF2_GlobalDefWriter_WriteClockProperties(s->out, 1000000000, 0,
		(uint64_t)length + 1, (uint64_t)job->zero);
}

/* Locks are waits; for other system calls the reader classifies waiting and I/O by name. */
static OTF2_RegionRole role_of(const struct kineto_name *name)
{
	static const char *const waits[] = { "pthread_mutex_", "pthread_rwlock_", "pthread_spin_",
		"futex" };

	if (name->class == KINETO_STEP)
		return OTF2_REGION_ROLE_LOOP;
	if (name->class == KINETO_ANNOTATION)
		return OTF2_REGION_ROLE_CODE;
	for (size_t i = 0; name->class == KINETO_SYSTEM && i < sizeof(waits) / sizeof(*waits); i++)
		if (strncmp(name->text, waits[i], strlen(waits[i])) == 0)
			return OTF2_REGION_ROLE_THREAD_WAIT;
	return OTF2_REGION_ROLE_FUNCTION;
}

static OTF2_Paradigm paradigm_of(enum kineto_class class)
{
	return class >= KINETO_CALL	 ? OTF2_PARADIGM_CUDA
		: class == KINETO_MPI	 ? OTF2_PARADIGM_MPI
		: class == KINETO_SYSTEM ? OTF2_PARADIGM_UNKNOWN
					 : OTF2_PARADIGM_USER;
}

static void define_regions(const struct kineto_job *job, struct strings *s)
{
	for (uint32_t i = 0; i < job->regions.n; i++) {
		const struct kineto_name *name = &job->regions.at[i];
		bool is_step = name->class == KINETO_STEP;
		uint32_t text = string_ref(s, name->text);

		s->error |= OTF2_GlobalDefWriter_WriteRegion(s->out, i, text, text,
			string_ref(s, is_step ? REGION_DESCRIPTION_STEP : ""), role_of(name),
			paradigm_of(name->class), OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0,
			0);
	}
}

static const char *host_of(const struct kineto_rank *rank)
{
	return rank->host ? rank->host : UNKNOWN_HOST;
}

/* The first file of each host represents it. */
static size_t host_first(const struct kineto_job *job, size_t rank)
{
	size_t i = 0;

	while (strcmp(host_of(&job->ranks[i]), host_of(&job->ranks[rank])) != 0)
		i++;
	return i;
}

static void define_nodes(const struct kineto_job *job, struct strings *s)
{
	s->error |= OTF2_GlobalDefWriter_WriteSystemTreeNode(s->out, 0, string_ref(s, "machine"),
		string_ref(s, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (size_t i = 0; i < job->nranks; i++) {
		int64_t residual = job->ranks[i].residual;
		OTF2_AttributeValue value;
		char text[32];

		if (host_first(job, i) != i)
			continue;
		s->error |= OTF2_GlobalDefWriter_WriteSystemTreeNode(s->out, (uint32_t)i + 1,
			string_ref(s, host_of(&job->ranks[i])), string_ref(s, "node"), 0);
		for (size_t k = i; k < job->nranks && residual >= 0; k++)
			if (host_first(job, k) == i)
				residual = job->ranks[k].residual < 0	    ? -1
					: job->ranks[k].residual > residual ? job->ranks[k].residual
									    : residual;
		if (residual < 0 || job->nranks == 1)
			continue;
		snprintf(text, sizeof(text), "%" PRId64, residual);
		value.stringRef = string_ref(s, text);
		s->error |= OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(s->out,
			(uint32_t)i + 1, string_ref(s, PROPERTY_CLOCK_RESIDUAL), OTF2_TYPE_STRING,
			value);
	}
}

static void group_text(struct strings *s, uint32_t group, const char *key, const char *text)
{
	OTF2_AttributeValue value = { .stringRef = string_ref(s, text) };

	s->error |= OTF2_GlobalDefWriter_WriteLocationGroupProperty(s->out, group,
		string_ref(s, key), OTF2_TYPE_STRING, value);
}

static void define_process(const struct kineto_job *job, struct strings *s, uint32_t i)
{
	const struct kineto_rank *rank = &job->ranks[i];
	char text[64];

	snprintf(text, sizeof(text), "rank %" PRId64, rank->rank);
	s->error |= OTF2_GlobalDefWriter_WriteLocationGroup(s->out, i, string_ref(s, text),
		OTF2_LOCATION_GROUP_TYPE_PROCESS, (uint32_t)host_first(job, i) + 1,
		OTF2_UNDEFINED_LOCATION_GROUP);
	snprintf(text, sizeof(text), "%" PRId64, rank->rank);
	group_text(s, i, PROPERTY_RANK, text);
	if (rank->pid >= 0) {
		snprintf(text, sizeof(text), "%" PRId64, rank->pid);
		group_text(s, i, PROPERTY_PID, text);
	}
	for (size_t k = 0; k < rank->facts.n; k++)
		group_text(s, i, rank->facts.at[k].key, rank->facts.at[k].value);
}

static void define_lane(struct strings *s, const struct kineto_track *track, unsigned lane,
	uint32_t group, bool is_main)
{
	char text[96], beside[16] = "";
	OTF2_AttributeValue value;
	uint64_t location = track->location + lane;

	if (lane)
		snprintf(beside, sizeof(beside), "+%u", lane);
	if (track->is_stream)
		snprintf(text, sizeof(text), "CUDA[%" PRId64 ":%" PRId64 "%s]", track->device,
			track->number, beside);
	else if (is_main && !lane)
		snprintf(text, sizeof(text), "main thread");
	else
		snprintf(text, sizeof(text), "thread %" PRId64 "%s", track->number, beside);
	s->error |= OTF2_GlobalDefWriter_WriteLocation(s->out, location, string_ref(s, text),
		track->is_stream ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
				 : OTF2_LOCATION_TYPE_CPU_THREAD,
		track->nevents[lane], group);
	if (!is_main || lane)
		return;
	value.stringRef = string_ref(s, "1");
	s->error |= OTF2_GlobalDefWriter_WriteLocationProperty(s->out, location,
		string_ref(s, PROPERTY_MAIN), OTF2_TYPE_STRING, value);
}

static void device_text(struct strings *s, const struct kineto_rank *rank, uint32_t group,
	int64_t device)
{
	for (size_t i = 0; i < rank->devices.n; i++) {
		const struct kineto_device *known = &rank->devices.at[i];

		if (known->id == device && *known->name)
			group_text(s, group, PROPERTY_DEVICE_NAME, known->name);
		if (known->id == device && known->uuid && *known->uuid)
			group_text(s, group, PROPERTY_DEVICE_UUID, known->uuid);
	}
	group_text(s, group, PROPERTY_DEVICE_KIND, "gpu");
}

/* The first stream of a device represents it. */
static size_t device_first(const struct kineto_rank *rank, size_t track)
{
	size_t i = 0;

	while (!rank->tracks.at[i].is_stream ||
		rank->tracks.at[i].device != rank->tracks.at[track].device)
		i++;
	return i;
}

/*
 * Groups of devices are numbered after the groups of processes: by the first location of the
 * device.
 */
static void define_tracks(const struct kineto_job *job, struct strings *s, uint32_t i)
{
	const struct kineto_rank *rank = &job->ranks[i];

	for (size_t k = 0; k < rank->tracks.n; k++) {
		const struct kineto_track *track = &rank->tracks.at[k];
		size_t first = track->is_stream ? device_first(rank, k) : 0;
		uint32_t group = track->is_stream
			? (uint32_t)(job->nranks + rank->tracks.at[first].location)
			: i;
		char text[96];

		if (track->is_stream && first == k) {
			snprintf(text, sizeof(text), "rank %" PRId64 " GPU %" PRId64, rank->rank,
				track->device);
			s->error |= OTF2_GlobalDefWriter_WriteLocationGroup(s->out, group,
				string_ref(s, text), OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
				(uint32_t)host_first(job, i) + 1, i);
			device_text(s, rank, group, track->device);
		}
		for (unsigned lane = 0; lane < track->nlanes; lane++)
			define_lane(s, track, lane, group, k == 0);
	}
}

/*
 * A stream on which the rank communicates represents it in communicators; without, its main
 * thread.
 */
static uint64_t place_of(const struct kineto_rank *rank)
{
	for (size_t i = 0; i < rank->tracks.n; i++)
		for (size_t k = 0; rank->tracks.at[i].is_stream && k < rank->tracks.at[i].events.n;
			k++) {
			uint32_t detail = rank->tracks.at[i].events.at[k].detail;

			if (detail && rank->details.at[detail - 1].group)
				return rank->tracks.at[i].location;
		}
	return rank->tracks.at[0].location;
}

static int define_comms(const struct kineto_job *job, struct strings *s)
{
	uint64_t *members = malloc((job->nranks + 1) * sizeof(*members));

	for (size_t i = 0; members && i < job->nranks; i++)
		members[i] = place_of(&job->ranks[i]);
	if (members && job->comms.n)
		s->error |= OTF2_GlobalDefWriter_WriteGroup(s->out, 0, string_ref(s, ""),
			OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_CUDA, OTF2_GROUP_FLAG_NONE,
			(uint32_t)job->nranks, members);
	free(members);
	for (uint32_t i = 0; i < job->comms.n; i++) {
		const struct kineto_comm *comm = &job->comms.at[i];
		const struct kineto_group *group = comm->group;
		char text[600];

		members = malloc((comm->size + 1) * sizeof(*members));
		if (!members)
			return -1;
		for (uint32_t k = 0; k < comm->size; k++)
			members[k] = comm->members[k] == KINETO_NOBODY ? OTF2_UNDEFINED_UINT64
								       : comm->members[k];
		snprintf(text, sizeof(text), *group->description ? "%s (%s)" : "%s",
			*group->description ? group->description : group->name, group->name);
		s->error |= OTF2_GlobalDefWriter_WriteGroup(s->out, i + 1, string_ref(s, ""),
			OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_CUDA, OTF2_GROUP_FLAG_NONE,
			comm->size, members);
		s->error |= OTF2_GlobalDefWriter_WriteComm(s->out, i, string_ref(s, text), i + 1,
			OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
		free(members);
	}
	return 0;
}

static bool job_has(const struct kineto_job *job, enum kineto_class class)
{
	for (size_t i = 0; i < job->nranks; i++)
		if (job->ranks[i].has_class[class])
			return true;
	return false;
}

static void define_archive(const struct kineto_job *job, struct strings *s)
{
	char text[64], *origin = realpath(job->ranks[0].path, NULL);
	bool has_calls = job_has(job, KINETO_SYSTEM), has_mpi = job_has(job, KINETO_MPI);

	snprintf(text, sizeof(text), "%" PRId64, job->zero);
	s->error |= OTF2_Archive_SetProperty(job->out.archive, PROPERTY_ARCHIVE_START, text, true);
	snprintf(text, sizeof(text), "%s%s%s", has_calls ? "" : LACKS_IO " " LACKS_WAITS " ",
		has_mpi ? "" : LACKS_MPI " ", has_calls || has_mpi ? LACKS_BYTES : "");
	s->error |= OTF2_Archive_SetProperty(job->out.archive, PROPERTY_ARCHIVE_LACKS, text, true);
	if (origin)
		s->error |= OTF2_Archive_SetProperty(job->out.archive, PROPERTY_ARCHIVE_ORIGIN,
			origin, true);
	free(origin);
}

int kineto_define(struct kineto_job *job)
{
	struct strings s = { .out = OTF2_Archive_GetGlobalDefWriter(job->out.archive) };
	int ret;

	if (!s.out)
		return -1;
	define_texts(&s);
	define_clock(job, &s);
	s.error |= OTF2_GlobalDefWriter_WriteParadigm(s.out, OTF2_PARADIGM_CUDA,
		string_ref(&s, "CUDA"), OTF2_PARADIGM_CLASS_ACCELERATOR);
	strings_define_attributes(&s);
	define_nodes(job, &s);
	define_regions(job, &s);
	for (uint32_t i = 0; i < job->nranks; i++)
		define_process(job, &s, i);
	for (uint32_t i = 0; i < job->nranks; i++)
		define_tracks(job, &s, i);
	ret = define_comms(job, &s);
	define_archive(job, &s);
	ret = s.error ? -1 : ret;
	strings_free(&s);
	return ret;
}
