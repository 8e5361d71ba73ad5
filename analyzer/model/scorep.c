/* scorep.c - see scorep.h. The formulas are the inverse of scorep_mpi_coll.inc.c in Score-P. */
#include "config.h"

#include "model/scorep.h"

/* What n ranks, in place n - 1, have been counted for. */
static uint64_t share(uint64_t bytes, uint64_t n)
{
	if (bytes % n == 0)
		return bytes / n;
	return n > 1 && bytes % (n - 1) == 0 ? bytes / (n - 1) : bytes;
}

static void share_set(struct event *event, uint64_t n)
{
	switch (event->tag) {
	case OTF2_COLLECTIVE_OP_ALLREDUCE:
		event->bytes = event->received = share(event->received, n);
		break;
	case OTF2_COLLECTIVE_OP_ALLGATHER:
	case OTF2_COLLECTIVE_OP_ALLGATHERV:
	case OTF2_COLLECTIVE_OP_BCAST: /* only the root sends */
		event->bytes = share(event->bytes, n);
		break;
	case OTF2_COLLECTIVE_OP_REDUCE: /* only the root receives */
		event->received = share(event->received, n);
		break;
	case OTF2_COLLECTIVE_OP_SCAN: /* to n - rank of them, from rank + 1 */
		event->bytes = event->received = share(event->bytes + event->received, n + 1);
		break;
	case OTF2_COLLECTIVE_OP_EXSCAN: /* to n - rank - 1, from rank */
		event->bytes = event->received = n > 1 ? (event->bytes + event->received) / (n - 1)
						       : 0;
		break;
	default: break;
	}
}

const struct event *scorep_plain(const struct model *model, const struct event *event,
	struct event *plain)
{
	uint32_t comm;

	if (!model->archive->from_scorep ||
		(event->kind != EVENT_COLLECTIVE_END && event->kind != EVENT_COLLECTIVE_COMPLETE))
		return event;
	comm = model_comm(model, event->ref);
	if (comm == MODEL_NONE || !model->comms.at[comm].nmembers ||
		model->archive->comms.at[comm].inter)
		return event;
	*plain = *event;
	share_set(plain, model->comms.at[comm].nmembers);
	return plain;
}
