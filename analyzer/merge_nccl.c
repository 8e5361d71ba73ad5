/* merge_nccl.c - see merge_nccl.h. */
#include "config.h"

#include "merge_nccl.h"
#include "tacho/trace.h"

static const struct spool_nccl_comm *comm_of(const struct process *p, uint32_t id)
{
	const struct spool_process *s = p->spool;

	return id && id < s->nccl_comms.n && s->nccl_comms.at[id].name ? &s->nccl_comms.at[id] : NULL;
}

/* The operation's communicator, place and size; of a group's kernel only the group. */
static void operation(const struct process *p, const uint64_t *rec, OTF2_AttributeList *attributes)
{
	const struct spool_nccl_comm *comm = comm_of(p, spool_a(rec[0]));
	uint32_t group = rec[5];

	if (comm) {
		OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_COMM, comm->def.hash);
		OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_SEQ, (uint32_t)rec[4]);
	}
	OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_BYTES, rec[3]);
	if (group)
		OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_GROUP, group);
}

void nccl_call_attributes(struct writer *w, const struct entry *e)
{
	operation(w->process, e->rec, w->attributes);
}

void nccl_kernel_attributes(const struct merge *m, const struct process *p, const uint64_t *call,
			    OTF2_AttributeList *attributes)
{
	(void)m;
	if (call && spool_type(call[0]) == SPOOL_NCCL)
		operation(p, call, attributes);
}
