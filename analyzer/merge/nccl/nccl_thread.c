/*
 * nccl_thread.c - kernels that NCCL launches from its own thread, as it does for
 * communicators that do not block: no call is around such a launch.
 *
 * A program must wait for what such a call has begun before it uses the communicator again; so a
 * launch belongs to the call (or end of a group) that has begun before it and has launched
 * nothing itself yet. Where several communicators have one, it is not known which, and stays so.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "merge/gpu/gpu.h"
#include "merge/nccl/nccl_parts.h"
#include "merge/walk/walk_regions.h"
#include "model/comm_kernel.h"

#define LOOSE_KEPT                                                                                 \
	64 /* launches that came before the end of the first call that they may belong to */
#define OPEN_MAX 64

/* A launch of NCCL's thread. */
struct orphan {
	uint64_t t;
	uint32_t correlation, device, call;
};

struct orphans {
	struct process *process;
	ARRAY_OF(struct orphan) list;
};

static bool has_launch(const struct group *g, uint32_t i)
{
	unsigned depth = g->entries[i].depth;

	while (i-- > 0 && g->entries[i].depth > depth)
		if (nccl_is_kernel_launch(&g->entries[i]))
			return true;
	return false;
}

static bool is_in_nccl(const struct group *g, uint32_t i)
{
	unsigned depth = g->entries[i].depth;

	for (uint32_t k = i + 1; k < g->n && depth; k++) {
		if (g->entries[k].depth >= depth)
			continue;
		depth = g->entries[k].depth;
		if (region_class(g->entries[k].region) == REGION_CLASS_NCCL)
			return true;
	}
	return false;
}

/* A call that carries something out by itself, with others in its communicator. */
static bool is_unit(const struct process *p, const struct entry *e)
{
	const struct spool_nccl_comm *comm;

	if (e->type != SPOOL_NCCL)
		return false;
	if (nccl_op(e->region) == TRACE_OP_NONE)
		return e->region == REGION_ncclGroupEnd && (uint32_t)e->rec[5];
	comm = nccl_comm_of(p, spool_a(e->rec[0]));
	return comm && comm->def.size > 1 && !(uint32_t)e->rec[5];
}

int nccl_thread_scan(const struct process *p, struct nccl *nccl, const struct group *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct entry *e = &g->entries[i];

		if (is_unit(p, e) && !has_launch(g, i)) {
			const uint64_t **call = ARRAY_ADD(&nccl->silent);

			if (!call)
				return -1;
			*call = e->rec;
		} else if (nccl_is_kernel_launch(e) && !is_in_nccl(g, i)) {
			struct loose *loose;

			if (!nccl->silent.n && nccl->loose.n == 2 * LOOSE_KEPT) {
				nccl->loose.n = LOOSE_KEPT;
				memmove(nccl->loose.at, nccl->loose.at + LOOSE_KEPT,
					LOOSE_KEPT * sizeof(*loose));
			}
			loose = ARRAY_ADD(&nccl->loose);
			if (!loose)
				return -1;
			*loose = (struct loose){ spool_a(e->rec[0]), e->start };
		}
	}
	return 0;
}

static int compare_loose(const void *a, const void *b)
{
	const struct loose *x = a, *y = b;

	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

static int compare_silent(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;

	return x[1] != y[1] ? (x[1] > y[1]) - (x[1] < y[1]) : (x > y) - (x < y);
}

static int compare_orphans(const void *a, const void *b)
{
	const struct orphan *x = a, *y = b;

	return x->t != y->t ? (x->t > y->t) - (x->t < y->t)
			    : (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

static bool is_nccl_kernel(const struct process *p, const uint64_t *rec)
{
	uint32_t id = spool_a(rec[0]);
	const char *name = id < p->spool->kernels.n ? p->spool->kernels.at[id].name : NULL;

	return name && comm_kernel(name) == COMM_KERNEL_NCCL;
}

static int orphan_find(void *context, const uint64_t *rec)
{
	struct orphans *orphans = context;
	struct process *p = orphans->process;
	struct loose key = { .correlation = rec[3] }, *launch;
	struct orphan *orphan;

	if (spool_type(rec[0]) != SPOOL_KERNEL || rec[6] || gpu_launched_by(p, key.correlation) ||
		!is_nccl_kernel(p, rec))
		return 0;
	launch = bsearch(&key, p->nccl->loose.at, p->nccl->loose.n, sizeof(key), compare_loose);
	orphan = launch ? ARRAY_ADD(&orphans->list) : NULL;
	if (launch && !orphan)
		return -1;
	if (orphan)
		*orphan = (struct orphan){ launch->start, key.correlation, gpu_record_device(rec),
			NONE };
	return 0;
}

/* How many kernels the call launches on a device: one for each communicator. */
static uint32_t launches_wanted(const struct process *p, const uint64_t *call, uint32_t device)
{
	const struct member *first;
	uint32_t n = 0;
	size_t count;

	if (nccl_op(spool_region(call[0])) != TRACE_OP_NONE) {
		const struct spool_nccl_comm *comm = nccl_comm_of(p, spool_a(call[0]));

		return comm &&
			(comm->def.device == device || comm->def.device == SPOOL_DEVICE_NONE);
	}
	first = nccl_group(p, (uint32_t)call[5], &count);
	nccl_group_comm(p, first, count, device, 0, &n);
	return n;
}

/* Whether a later call uses a communicator of an earlier one: then that one is done. */
static bool is_done_by(const struct process *p, const uint64_t *earlier, const uint64_t *later)
{
	size_t nearlier = 1, nlater = 1;
	struct member one = { 0, earlier }, other = { 0, later };
	const struct member *a = &one, *b = &other;

	if (nccl_op(spool_region(earlier[0])) == TRACE_OP_NONE)
		a = nccl_group(p, (uint32_t)earlier[5], &nearlier);
	if (nccl_op(spool_region(later[0])) == TRACE_OP_NONE)
		b = nccl_group(p, (uint32_t)later[5], &nlater);
	for (size_t i = 0; i < nearlier && i < OPEN_MAX; i++)
		for (size_t k = 0; k < nlater && k < OPEN_MAX; k++)
			if (spool_a(a[i].rec[0]) == spool_a(b[k].rec[0]))
				return true;
	return false;
}

/* Calls that have begun and may not have launched all yet. */
struct open_calls {
	uint32_t at[OPEN_MAX], n;
};

static void open_add(const struct process *p, struct open_calls *open, uint32_t call)
{
	const uint64_t **calls = p->nccl->silent.at;
	uint32_t kept = 0;

	for (uint32_t i = open->n == OPEN_MAX; i < open->n; i++)
		if (!is_done_by(p, calls[open->at[i]], calls[call]))
			open->at[kept++] = open->at[i];
	open->n = kept;
	open->at[open->n++] = call;
}

/* How many orphans up to the i-th belong to a call, on the device of that one. */
static uint32_t bound_to(const struct orphans *orphans, size_t i, uint32_t call, uint32_t device)
{
	uint32_t n = 0;

	for (size_t k = i; k-- > 0 && i - k <= OPEN_MAX;)
		n += orphans->list.at[k].call == call && orphans->list.at[k].device == device;
	return n;
}

static void orphans_bind(struct orphans *orphans)
{
	const struct process *p = orphans->process;
	struct open_calls open = { .n = 0 };
	uint32_t next = 0;

	for (size_t i = 0; i < orphans->list.n; i++) {
		struct orphan *orphan = &orphans->list.at[i];
		uint32_t found = 0;

		for (; next < p->nccl->silent.n && p->nccl->silent.at[next][1] <= orphan->t; next++)
			open_add(p, &open, next);
		for (uint32_t k = 0; k < open.n; k++)
			if (bound_to(orphans, i, open.at[k], orphan->device) <
				launches_wanted(p, p->nccl->silent.at[open.at[k]],
					orphan->device)) {
				orphan->call = open.at[k];
				found++;
			}
		if (found != 1)
			orphan->call = NONE;
	}
}

/* As if the launches lay in the calls, also which of a group's they are. */
static int launches_add(struct orphans *orphans)
{
	struct process *p = orphans->process;
	struct nccl *nccl = p->nccl;

	for (size_t i = 0; i < orphans->list.n; i++) {
		const struct orphan *orphan = &orphans->list.at[i];
		const uint64_t *call = orphan->call == NONE ? NULL : nccl->silent.at[orphan->call];
		struct turn *turn;

		if (!call)
			continue;
		if (gpu_launch_add(p->gpu, orphan->correlation, call) < 0)
			return -1;
		turn = ARRAY_ADD(&nccl->turns);
		if (!turn)
			return -1;
		*turn = (struct turn){ .correlation = orphan->correlation,
			.device = orphan->device,
			.number = bound_to(orphans, i, orphan->call, orphan->device),
			.total = launches_wanted(p, call, orphan->device) };
	}
	return gpu_scan_end(p);
}

int nccl_thread_bind(struct process *p)
{
	struct orphans orphans = { .process = p };
	struct nccl *nccl = p->nccl;
	int ret;

	if (!nccl->silent.n || !nccl->loose.n)
		return 0;
	qsort(nccl->loose.at, nccl->loose.n, sizeof(*nccl->loose.at), compare_loose);
	qsort(nccl->silent.at, nccl->silent.n, sizeof(*nccl->silent.at), compare_silent);
	ret = gpu_walk(p, orphan_find, &orphans);
	if (ret == 0 && orphans.list.n) {
		qsort(orphans.list.at, orphans.list.n, sizeof(*orphans.list.at), compare_orphans);
		orphans_bind(&orphans);
		ret = launches_add(&orphans);
	}
	free(orphans.list.at);
	return ret;
}

void nccl_thread_free(struct nccl *nccl)
{
	free(nccl->silent.at);
	free(nccl->loose.at);
}
