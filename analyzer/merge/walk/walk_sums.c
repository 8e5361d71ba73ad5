/* walk_sums.c - requests that were posted in a stretch of which the spool has only totals. */
#include "config.h"

#include <stdlib.h>

#include "merge/walk/walk.h"
#include "merge/walk/walk_regions.h"

static unsigned kind_of(const struct totals_request *r)
{
	switch (r->type) {
	case SPOOL_COLL_FULL: return REQUEST_COLL;
	case SPOOL_RMA: return REQUEST_RMA;
	case SPOOL_IO_LONG: return REQUEST_IO;
	default: return region_infos[r->region].p2p;
	}
}

static int requests_take_over(struct walk *walk, const struct totals_sums *sums)
{
	for (int i = 0; i < TOTALS_COMMS; i++) {
		uint32_t comm = sums->comms[i].comm;

		if (comm && comm < walk->process->spool->comms.n)
			walk->posted[comm] += (uint32_t)sums->comms[i].nonblocking;
	}
	for (int i = 0; i < TOTALS_REQUESTS; i++) {
		const struct totals_request *r = &sums->requests[i];
		struct walk_request request = { .number = r->number,
			.kind = kind_of(r),
			.start = r->start,
			.region = r->region,
			.handle = r->handle,
			.peer = r->peer,
			.tag = r->tag,
			.sent = r->sent,
			.received = r->received,
			.place = r->place,
			.is_before = true };

		if (r->number && request.kind && requests_post(&walk->requests, &request) < 0)
			return -1;
	}
	return 0;
}

int walk_sums_requests(struct walk *walk, const struct location *l, uint32_t stretch)
{
	struct spool_stretch *s = spool_stretch(l->thread, stretch);
	int ret = s ? requests_take_over(walk, &s->sums) : -1;

	free(s);
	return ret;
}
