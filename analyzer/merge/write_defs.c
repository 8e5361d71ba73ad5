/*
 * write_defs.c - the definitions of the archive, from the model. What Score-P's
 * users expect: system tree machine → node, a PROCESS group per process, MPI
 * groups and communicators, I/O files and handles. See otf2_out_defs.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/gpu/gpu.h"
#include "merge/gpu/gpu_kernel.h"
#include "merge/merge_metrics.h"
#include "merge/merge_python.h"
#include "merge/merge_buckets.h"
#include "merge/merge_values.h"
#include "merge/nccl/nccl.h"
#include "merge/walk/walk_regions.h"
#include "merge/write_defs.h"
#include "merge/write_props.h"
#include "tacho/trace.h"

enum { IO_POSIX, IO_MPI };

#define GROUP_LOCATIONS 0u /* all MPI locations */
#define GROUP_SELF	1u
#define GROUP_FIRST	2u

static void define_clock(struct merge *m, struct strings *s)
{
	uint64_t length = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];

		for (uint32_t k = 0; k < p->nlocations; k++)
			if (p->locations[k].result.end > length)
				length = p->locations[k].result.end;
		for (uint32_t k = 0; p->gpu && k < p->gpu->nstreams; k++)
			if (p->gpu->streams[k].result.end > length)
				length = p->gpu->streams[k].result.end;
	}
	s->error |= OTF2_GlobalDefWriter_WriteClockProperties(s->out, 1000000000, 0, length + 1,
		m->start_ns);
}

static void define_paradigms(struct strings *s)
{
	OTF2_AttributeValue value;

	s->error |= OTF2_GlobalDefWriter_WriteParadigm(s->out, OTF2_PARADIGM_MPI,
		string_ref(s, "MPI"), OTF2_PARADIGM_CLASS_PROCESS);
	value.stringRef = string_ref(s, "MPI Communicator ${id}");
	s->error |= OTF2_GlobalDefWriter_WriteParadigmProperty(s->out, OTF2_PARADIGM_MPI,
		OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, value);
	value.stringRef = string_ref(s, "MPI Window ${id}");
	s->error |= OTF2_GlobalDefWriter_WriteParadigmProperty(s->out, OTF2_PARADIGM_MPI,
		OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, OTF2_TYPE_STRING, value);
	s->error |= OTF2_GlobalDefWriter_WriteParadigm(s->out, OTF2_PARADIGM_PTHREAD,
		string_ref(s, "pthread"), OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT);
	s->error |= OTF2_GlobalDefWriter_WriteParadigm(s->out, OTF2_PARADIGM_CUDA,
		string_ref(s, "CUDA"), OTF2_PARADIGM_CLASS_ACCELERATOR);
	s->error |= OTF2_GlobalDefWriter_WriteIoParadigm(s->out, IO_POSIX, string_ref(s, "POSIX"),
		string_ref(s, "POSIX I/O"), OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS,
		0, NULL, NULL, NULL);
	s->error |= OTF2_GlobalDefWriter_WriteIoParadigm(s->out, IO_MPI, string_ref(s, "MPI-IO"),
		string_ref(s, "MPI-IO"), OTF2_IO_PARADIGM_CLASS_PARALLEL,
		OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL);
}

static void define_region(struct strings *s, uint32_t ref, const char *name,
	const char *description, OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
	uint32_t text = string_ref(s, name);

	s->error |= OTF2_GlobalDefWriter_WriteRegion(s->out, ref, text, text,
		string_ref(s, description), role, paradigm, OTF2_REGION_FLAG_NONE,
		OTF2_UNDEFINED_STRING, 0, 0);
}

static void define_regions(struct merge *m, struct strings *s)
{
	for (uint32_t i = 1; i < REGION_FIXED_COUNT; i++)
		if (m->region_ref[i] != NONE)
			define_region(s, m->region_ref[i], region_infos[i].name, "",
				region_infos[i].role, region_infos[i].paradigm);
	for (uint32_t i = 0; i < m->nmarks; i++) {
		const struct merge_mark *mark = &m->marks[i];

		if (mark->ref == NONE)
			continue;
		define_region(s, mark->ref, mark->name,
			mark->kind == SPOOL_MARK_PHASE		? REGION_DESCRIPTION_PHASE
				: mark->kind == SPOOL_MARK_STEP ? REGION_DESCRIPTION_STEP
								: "",
			mark->kind == SPOOL_MARK_STEP ? OTF2_REGION_ROLE_LOOP
						      : OTF2_REGION_ROLE_CODE,
			OTF2_PARADIGM_USER);
	}
}

static void define_system_tree(struct merge *m, struct strings *s)
{
	s->error |= OTF2_GlobalDefWriter_WriteSystemTreeNode(s->out, 0, string_ref(s, "machine"),
		string_ref(s, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	s->error |= OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(s->out, 0,
		OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
	for (uint32_t i = 0; i < m->nnodes; i++) {
		s->error |= OTF2_GlobalDefWriter_WriteSystemTreeNode(s->out, i + 1,
			string_ref(s, m->nodes[i].hostname), string_ref(s, "node"), 0);
		s->error |= OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(s->out, i + 1,
			OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
		props_of_node(m, s, i);
	}
}

static void define_location(struct merge *m, struct strings *s, struct process *p, uint32_t group,
	uint32_t k)
{
	const struct location *l = &p->locations[k];
	char name[80];

	if (l->is_main)
		snprintf(name, sizeof(name), "main thread");
	else if (location_is_sampler(l))
		snprintf(name, sizeof(name), "%s counters", p->name);
	else if (l->thread && l->thread->head.name[0])
		snprintf(name, sizeof(name), "%s %u", l->thread->head.name, l->thread->head.number);
	else
		snprintf(name, sizeof(name), "thread %u", k);
	s->error |= OTF2_GlobalDefWriter_WriteLocation(s->out, p->first_location + k,
		string_ref(s, name),
		location_is_sampler(l) ? OTF2_LOCATION_TYPE_METRIC : OTF2_LOCATION_TYPE_CPU_THREAD,
		l->result.nevents, group);
	props_of_location(m, s, l, p->first_location + k);
}

static void define_processes(struct merge *m, struct strings *s)
{
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		s->error |= OTF2_GlobalDefWriter_WriteLocationGroup(s->out, i,
			string_ref(s, p->name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
			p->spool ? p->node + 1 : 0, OTF2_UNDEFINED_LOCATION_GROUP);
		props_of_process(m, s, i);
		for (uint32_t k = 0; k < p->nlocations; k++)
			define_location(m, s, p, i, k);
	}
}

static int define_mpi_locations(struct merge *m, struct strings *s)
{
	uint64_t *members = calloc(m->nmpi + 1, sizeof(*members));

	if (!members)
		return -1;
	for (uint32_t i = 0; i < m->nmpi; i++)
		members[i] = main_location(&m->processes[m->mpi_process[i]]);
	s->error |= OTF2_GlobalDefWriter_WriteGroup(s->out, GROUP_LOCATIONS, string_ref(s, ""),
		OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, m->nmpi,
		members);
	s->error |= OTF2_GlobalDefWriter_WriteGroup(s->out, GROUP_SELF, string_ref(s, ""),
		OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, NULL);
	free(members);
	return 0;
}

static int define_group(struct strings *s, uint32_t ref, const uint32_t *ranks, uint32_t n)
{
	uint64_t *members = calloc(n + 1, sizeof(*members));

	if (!members)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		members[i] = ranks[i];
	s->error |= OTF2_GlobalDefWriter_WriteGroup(s->out, ref, string_ref(s, ""),
		OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members);
	free(members);
	return 0;
}

static const char *comm_name(const struct merge_comm *c)
{
	if (c->name[0])
		return c->name;
	return c->kind == COMM_WORLD   ? "MPI_COMM_WORLD"
		: c->kind == COMM_SELF ? "MPI_COMM_SELF"
				       : "";
}

/* The communicator that both sides of an inter-communicator have in common. */
static uint32_t world_comm(const struct merge *m, uint32_t world)
{
	for (uint32_t i = 0; i < m->ncomms; i++)
		if (m->comms[i].kind == COMM_WORLD && m->comms[i].world == world)
			return i;
	return OTF2_UNDEFINED_COMM;
}

/* `next` becomes the first number of a group that is free. */
static int define_comms(struct merge *m, struct strings *s, uint32_t *next)
{
	uint32_t group = GROUP_FIRST;

	if (define_mpi_locations(m, s) < 0)
		return -1;
	for (uint32_t i = 0; i < m->ncomms; i++) {
		const struct merge_comm *c = &m->comms[i];
		uint32_t name = string_ref(s, comm_name(c));
		uint32_t parent = c->parent == NONE ? OTF2_UNDEFINED_COMM : c->parent;

		if (c->kind == COMM_SELF) {
			s->error |= OTF2_GlobalDefWriter_WriteComm(s->out, i, name, GROUP_SELF,
				parent, OTF2_COMM_FLAG_NONE);
			continue;
		}
		if (define_group(s, group, c->ranks, c->size) < 0)
			return -1;
		if (c->kind != COMM_INTER) {
			s->error |= OTF2_GlobalDefWriter_WriteComm(s->out, i, name, group++, parent,
				OTF2_COMM_FLAG_NONE);
			continue;
		}
		if (define_group(s, group + 1, c->ranks + c->size, c->nremote) < 0)
			return -1;
		s->error |= OTF2_GlobalDefWriter_WriteInterComm(s->out, i, name, group, group + 1,
			world_comm(m, c->world), OTF2_COMM_FLAG_NONE);
		group += 2;
	}
	for (uint32_t i = 0; i < m->nwindows; i++)
		s->error |= OTF2_GlobalDefWriter_WriteRmaWin(s->out, i, string_ref(s, ""),
			m->windows[i].comm, OTF2_RMA_WIN_FLAG_NONE);
	*next = group;
	return 0;
}

static void define_handle(struct strings *s, const struct process *p, uint32_t id)
{
	const struct spool_handle *h = &p->spool->handles.at[id];
	uint32_t comm = h->def.kind == HANDLE_MPI_FILE ? process_comm(p, h->def.comm) : NONE;

	s->error |= OTF2_GlobalDefWriter_WriteIoHandle(s->out, h->number, string_ref(s, h->path),
		h->file, h->def.kind == HANDLE_MPI_FILE ? IO_MPI : IO_POSIX,
		OTF2_IO_HANDLE_FLAG_NONE, comm == NONE ? OTF2_UNDEFINED_COMM : comm,
		OTF2_UNDEFINED_IO_HANDLE);
}

/* What is known of a socket's ends. */
static void define_ends(const struct merge *m, struct strings *s, uint32_t file)
{
	const struct merge_file *f = &m->files[file];
	OTF2_AttributeValue value;

	if (f->socket) {
		value.stringRef = string_ref(s, f->socket);
		s->error |= OTF2_GlobalDefWriter_WriteIoFileProperty(s->out, file,
			string_ref(s, PROPERTY_SOCKET), OTF2_TYPE_STRING, value);
	}
	if (f->other != NONE) {
		value.uint64 = f->other;
		s->error |= OTF2_GlobalDefWriter_WriteIoFileProperty(s->out, file,
			string_ref(s, PROPERTY_SOCKET_PEER), OTF2_TYPE_UINT64, value);
	}
}

static void define_files(struct merge *m, struct strings *s)
{
	for (uint32_t i = 0; i < m->nfiles; i++) {
		const struct merge_file *f = &m->files[i];
		uint32_t path = string_ref(s, f->path);

		if (f->kind == HANDLE_DIR)
			s->error |= OTF2_GlobalDefWriter_WriteIoDirectory(s->out, i, path,
				f->node + 1);
		else
			s->error |= OTF2_GlobalDefWriter_WriteIoRegularFile(s->out, i, path,
				f->node + 1);
	}
	for (uint32_t i = 0; i < m->nfiles; i++)
		define_ends(m, s, i);
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];

		for (uint32_t id = 1; p->spool && id < p->spool->handles.n; id++)
			if (p->spool->handles.at[id].path)
				define_handle(s, p, id);
	}
}

int otf2_defs_write(struct merge *m, struct otf2_out *out, const char *unmatched)
{
	uint32_t group = 0;
	struct strings s = { .out = OTF2_Archive_GetGlobalDefWriter(out->archive) };
	int ret = 0;

	if (!s.out)
		return -1;
	string_ref(&s, "");
	gpu_define_strings(&s);
	nccl_define_strings(&s);
	define_clock(m, &s);
	define_paradigms(&s);
	strings_define_attributes(&s);
	define_system_tree(m, &s);
	define_regions(m, &s);
	kernel_regions_define(m, &s);
	define_processes(m, &s);
	ret = python_define(m, &s);
	values_define(m, &s);
	buckets_define(m, &s);
	gpu_define_locations(m, &s);
	metrics_define(m, &s);
	if (ret == 0 && m->nworlds)
		ret = define_comms(m, &s, &group);
	if (ret == 0)
		ret = nccl_define_comms(m, &s, group);
	define_files(m, &s);
	if (ret == 0)
		ret = props_of_archive(m, out, unmatched);
	if (ret < 0)
		log_error("out of memory writing the definitions");
	ret = s.error ? -1 : ret;
	strings_free(&s);
	return ret;
}
