/*
 * merge_nccl_comms.c - NCCL's communicators across processes: members have come
 * to the same hash each by itself; see merge_nccl.h.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/gpu/gpu.h"
#include "merge/nccl/nccl.h"
#include "merge/write_defs.h"

#define SIZE_MAX_SANE (1u << 17)
#define SLOTS_MAX     (1u << 24) /* of all communicators: more is damage */

/*
 * Ranks of a communicator that get a location each though they left nothing behind: each is two
 * files of the archive, and libotf2 looks through all for each that it adds.
 */
#define SILENT_MAX 8192

/* Found by hash: open addressing, number + 1. */
struct index {
	uint32_t *slots, size;
	uint32_t nslots;
};

static uint32_t *slot_of(const struct merge *m, const struct index *index, uint64_t hash)
{
	uint32_t i = (uint32_t)(hash ^ hash >> 32) & (index->size - 1);

	while (index->slots[i] && m->nccl_comms[index->slots[i] - 1].hash != hash)
		i = (i + 1) & (index->size - 1);
	return &index->slots[i];
}

static int index_grow(const struct merge *m, struct index *index)
{
	struct index grown = { .size = index->size ? 2 * index->size : 64,
		.nslots = index->nslots };

	grown.slots = calloc(grown.size, sizeof(*grown.slots));
	if (!grown.slots)
		return -1;
	for (uint32_t c = 0; c < m->nnccl_comms; c++)
		*slot_of(m, &grown, m->nccl_comms[c].hash) = c + 1;
	free(index->slots);
	*index = grown;
	return 0;
}

static struct nccl_merged_comm *comm_add(struct merge *m, const struct spool_nccl_comm *c)
{
	struct nccl_merged_comm *grown = realloc(m->nccl_comms,
					(m->nnccl_comms + 1) * sizeof(*grown)),
				*comm;

	if (!grown)
		return NULL;
	m->nccl_comms = grown;
	comm = &grown[m->nnccl_comms];
	*comm = (struct nccl_merged_comm){ .hash = c->def.hash,
		.parent = c->def.parent,
		.size = c->def.size,
		.name = c->name,
		.slots = malloc(c->def.size * sizeof(*comm->slots)) };
	if (!comm->slots)
		return NULL;
	memset(comm->slots, 0xff, c->def.size * sizeof(*comm->slots));
	m->nnccl_comms++;
	return comm;
}

/* Takes a process's communicator `id` into the archive. 0, or -1 without memory. */
static int comm_take(struct merge *m, struct index *index, uint32_t process, uint32_t id)
{
	struct spool_nccl_comm *c = &m->processes[process].spool->nccl_comms.at[id];
	struct nccl_merged_comm *comm;
	uint32_t *slot;

	if (!c->name)
		return 0;
	if (c->def.size > SIZE_MAX_SANE || c->def.rank >= c->def.size ||
		index->nslots > SLOTS_MAX) {
		m->processes[process].spool->lost[LOSS_NO_DEFINITION]++;
		c->name = NULL;
		return 0;
	}
	if (2 * m->nnccl_comms >= index->size && index_grow(m, index) < 0)
		return -1;
	slot = slot_of(m, index, c->def.hash);
	if (!*slot) {
		if (!comm_add(m, c))
			return -1;
		*slot = m->nnccl_comms;
		index->nslots += c->def.size;
	}
	comm = &m->nccl_comms[*slot - 1];
	c->global = m->ncomms + *slot - 1;
	if (c->def.rank < comm->size)
		comm->slots[c->def.rank] = (struct nccl_slot){ process, c->def.device };
	if (!*comm->name)
		comm->name = c->name;
	return 0;
}

static bool is_full(const struct nccl_merged_comm *comm)
{
	for (uint32_t r = 0; r < comm->size; r++)
		if (comm->slots[r].process == NONE)
			return false;
	return true;
}

/* Gives silent ranks the places that are free, which are `lacking`: each, or one on all. */
static int silent_slot(struct merge *m, struct nccl_merged_comm *comm, uint32_t lacking, bool each)
{
	uint32_t next = each	  ? m->nprocesses
		: m->silent_crowd ? m->silent_crowd
				  : merge_silent_crowd(m, lacking);

	if (next == NONE || (each && merge_silent_ranks(m, lacking) < 0))
		return -1;
	if (!each)
		m->silent_crowd = next;
	for (uint32_t r = 0; r < comm->size; r++)
		if (comm->slots[r].process == NONE)
			comm->slots[r].process = each ? next++ : next;
	return 0;
}

/*
 * A group of OTF2 cannot leave a member open: who left nothing behind is the rank of the job with
 * the same number (unless the communicator was split off, which counts anew), else one without a
 * spool, else a silent rank that is added (of very many one for all, so that the size remains). A
 * job may have thousands of them: one way through processes and slots.
 */
static int slots_fill(struct merge *m, struct nccl_merged_comm *comm)
{
	uint32_t n = m->nprocesses, next = 0, nsilent = 0, lacking = 0;
	bool *placed;

	if (is_full(comm))
		return 0;
	placed = calloc(n + 1, sizeof(*placed));
	if (!placed) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t r = 0; r < comm->size; r++)
		if (comm->slots[r].process != NONE)
			placed[comm->slots[r].process] = true;
	for (uint32_t i = 0; i < n && !comm->parent; i++) {
		const struct process *p = &m->processes[i];

		if (p->child || p->rank < 0 || (uint32_t)p->rank >= comm->size || placed[i] ||
			comm->slots[p->rank].process != NONE)
			continue;
		comm->slots[p->rank] = (struct nccl_slot){ i, NONE };
		placed[i] = true;
	}
	for (uint32_t r = 0; r < comm->size; r++) {
		if (comm->slots[r].process != NONE)
			continue;
		while (next < n &&
			(m->processes[next].child || m->processes[next].spool || placed[next] ||
				(next && next == m->silent_crowd)))
			next++;
		nsilent++;
		lacking += next == n;
		comm->slots[r] = (struct nccl_slot){ next < n ? next++ : NONE, NONE };
	}
	free(placed);
	return lacking ? silent_slot(m, comm, lacking, nsilent <= SILENT_MAX) : 0;
}

int merge_nccl_comms(struct merge *m)
{
	struct index index = { 0 };
	int ret = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++)
		for (uint32_t id = 1; ret == 0 && m->processes[i].spool &&
			id < m->processes[i].spool->nccl_comms.n;
			id++)
			ret = comm_take(m, &index, i, id);
	free(index.slots);
	if (ret < 0)
		log_error("out of memory");
	for (uint32_t i = 0; ret == 0 && i < m->nnccl_comms; i++)
		ret = slots_fill(m, &m->nccl_comms[i]);
	return ret;
}

void merge_nccl_comms_free(struct merge *m)
{
	for (uint32_t i = 0; i < m->nnccl_comms; i++)
		free(m->nccl_comms[i].slots);
	free(m->nccl_comms);
}

/* The location that represents a member: a stream of its device, else its process's main thread. */
static uint64_t slot_location(const struct merge *m, const struct nccl_slot *slot)
{
	const struct process *p = &m->processes[slot->process];

	for (uint32_t k = 0; p->gpu && k < p->gpu->nstreams; k++)
		if (p->gpu->streams[k].device == slot->device)
			return p->gpu->first_location + k;
	return main_location(p);
}

/* The locations that represent members, each once, in order. */
struct places {
	uint64_t *at;
	uint32_t n;
};

static int compare_locations(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int places_find(const struct merge *m, struct places *places)
{
	uint64_t total = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->nnccl_comms; i++)
		total += m->nccl_comms[i].size;
	places->at = malloc((total + 1) * sizeof(*places->at));
	if (!places->at)
		return -1;
	for (uint32_t i = 0; i < m->nnccl_comms; i++)
		for (uint32_t r = 0; r < m->nccl_comms[i].size; r++)
			if (m->nccl_comms[i].slots[r].process != NONE)
				places->at[places->n++] = slot_location(m,
					&m->nccl_comms[i].slots[r]);
	qsort(places->at, places->n, sizeof(*places->at), compare_locations);
	for (uint32_t i = 0; i < places->n; i++)
		if (!kept || places->at[kept - 1] != places->at[i])
			places->at[kept++] = places->at[i];
	places->n = kept;
	return 0;
}

/* Members as places in that list. */
static void comm_members(struct merge *m, const struct nccl_merged_comm *comm,
	const struct places *places, uint64_t *members)
{
	for (uint32_t r = 0; r < comm->size; r++) {
		uint64_t location, *found;

		members[r] = OTF2_UNDEFINED_UINT64;
		if (comm->slots[r].process == NONE)
			continue;
		location = slot_location(m, &comm->slots[r]);
		found = bsearch(&location, places->at, places->n, sizeof(location),
			compare_locations);
		if (found)
			members[r] = (uint64_t)(found - places->at);
	}
}

static uint32_t parent_ref(const struct merge *m, const struct nccl_merged_comm *comm)
{
	for (uint32_t i = 0; comm->parent && i < m->nnccl_comms; i++)
		if (m->nccl_comms[i].hash == comm->parent)
			return m->ncomms + i;
	return OTF2_UNDEFINED_COMM;
}

static void define_group(struct strings *s, uint32_t ref, OTF2_GroupType type, uint32_t n,
	const uint64_t *members)
{
	s->error |= OTF2_GlobalDefWriter_WriteGroup(s->out, ref, string_ref(s, ""), type,
		OTF2_PARADIGM_CUDA, OTF2_GROUP_FLAG_NONE, n, members);
}

/* "NCCL 2" is the third communicator, "NCCL 2 of 1" one that was split off. */
static void define_comm(struct merge *m, struct strings *s, uint32_t i, uint32_t group)
{
	const struct nccl_merged_comm *comm = &m->nccl_comms[i];
	uint32_t parent = parent_ref(m, comm);
	char name[64];

	if (parent == OTF2_UNDEFINED_COMM)
		snprintf(name, sizeof(name), "NCCL %" PRIu32, i);
	else
		snprintf(name, sizeof(name), "NCCL %" PRIu32 " of %" PRIu32, i, parent - m->ncomms);
	s->error |= OTF2_GlobalDefWriter_WriteComm(s->out, m->ncomms + i,
		string_ref(s, *comm->name ? comm->name : name), group, parent, OTF2_COMM_FLAG_NONE);
}

int nccl_define_comms(struct merge *m, struct strings *s, uint32_t group)
{
	struct places places = { 0 };
	uint64_t *members;

	if (!m->nnccl_comms)
		return 0;
	if (places_find(m, &places) < 0)
		return -1;
	define_group(s, group++, OTF2_GROUP_TYPE_COMM_LOCATIONS, places.n, places.at);
	for (uint32_t i = 0; i < m->nnccl_comms; i++, group++) {
		members = malloc((m->nccl_comms[i].size + 1) * sizeof(*members));
		if (!members)
			break;
		comm_members(m, &m->nccl_comms[i], &places, members);
		define_group(s, group, OTF2_GROUP_TYPE_COMM_GROUP, m->nccl_comms[i].size, members);
		define_comm(m, s, i, group);
		free(members);
	}
	free(places.at);
	return 0;
}
