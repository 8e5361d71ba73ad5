/* merge_messages.c - see merge_messages.h. */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "merge/merge_messages.h"
#include "merge/walk/walk_regions.h"
#include "base/par.h"

#define SIDE	   0x80000000u /* in channel.comm: the sender is in the second group */
#define MOST_LINES 1000

bool message_channel(const struct process *p, uint32_t comm, bool is_send, int32_t peer,
	int32_t tag, struct merge_channel *key)
{
	uint32_t global = process_comm(p, comm);
	const struct spool_comm *c;
	uint32_t own;

	if (peer < 0 || global == NONE)
		return false;
	c = &p->spool->comms.at[comm];
	own = c->def.rank;
	if (c->def.kind == COMM_SELF)
		own = peer = p->mpi_number;
	*key = (struct merge_channel){ .comm = global,
		.source = is_send ? own : (uint32_t)peer,
		.dest = is_send ? (uint32_t)peer : own,
		.tag = (uint32_t)tag };
	if (c->def.nremote && (is_send ? c->side : !c->side))
		key->comm |= SIDE;
	return true;
}

struct emit {
	const struct process *process;
	message_visitor visit;
	void *context;
};

static int emit(const struct emit *to, bool is_send, uint32_t comm, int32_t peer, int32_t tag,
	uint64_t bytes)
{
	struct message_end message = { .is_send = is_send, .bytes = bytes };

	if (!message_channel(to->process, comm, is_send, peer, tag, &message.channel))
		return 0;
	return to->visit(to->context, &message);
}

static int emit_requests(const struct emit *to, const struct group *g, const struct entry *e)
{
	bool completes = entry_completes(e);

	for (uint32_t i = 0; i < e->nrequests; i++) {
		const struct walk_request *r = &g->requests[e->first_request + i];
		int ret = 0;

		if (!completes && r->kind == REQUEST_SEND)
			ret = emit(to, true, r->handle, r->peer, r->tag, r->sent);
		else if (completes && r->kind == REQUEST_RECV && !r->cancelled)
			ret = emit(to, false, r->handle, r->peer, r->tag, r->received);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int messages_of(const struct merge *m, const struct process *p, const struct group *g,
	const struct entry *e, message_visitor visit, void *context)
{
	struct emit to = { p, visit, context };
	const uint64_t *rec = e->rec;
	uint32_t comm = rec ? spool_a(rec[0]) : 0;
	int ret;

	(void)m;
	if (e->nrequests)
		return emit_requests(&to, g, e);
	if (e->type == SPOOL_P2P || e->type == SPOOL_P2P_LONG) {
		unsigned kind = region_infos[e->region].p2p;
		uint64_t bytes = e->type == SPOOL_P2P ? (uint32_t)rec[4] : rec[4];

		if (!kind)
			return 0;
		return emit(&to, kind == REQUEST_SEND, comm, (int32_t)rec[3],
			(int32_t)(rec[3] >> 32), bytes);
	}
	if (e->type != SPOOL_SENDRECV)
		return 0;
	ret = emit(&to, true, comm, (int32_t)rec[3], (int32_t)(rec[3] >> 32), rec[4]);
	if (ret < 0)
		return ret;
	return emit(&to, false, comm, (int32_t)rec[5], (int32_t)(rec[5] >> 32), rec[6]);
}

/* One line of the list, with what it is sorted by so that threads do not show. */
struct lonely {
	struct message_end message;
	uint64_t nth;
};

struct unmatched {
	pthread_mutex_t lock;
	struct lonely *at;
	uint32_t n, size;
	uint64_t total;
};

/* The process that a rank of one side of a communicator, NULL unknown. */
static struct process *member(const struct merge *m, uint32_t comm, uint32_t rank, bool second)
{
	const struct merge_comm *c = &m->comms[comm & ~SIDE];
	uint32_t number;

	if (c->kind == COMM_SELF)
		number = rank;
	else if (rank >= (second ? c->nremote : c->size))
		return NULL;
	else
		number = c->ranks[rank + (second ? c->size : 0)];
	return number < m->nmpi ? &m->processes[m->mpi_process[number]] : NULL;
}

static struct process *sender(const struct merge *m, const struct merge_channel *c)
{
	return member(m, c->comm, c->source, c->comm & SIDE);
}

static struct process *receiver(const struct merge *m, const struct merge_channel *c)
{
	bool inter = m->comms[c->comm & ~SIDE].kind == COMM_INTER;

	return member(m, c->comm, c->dest, inter && !(c->comm & SIDE));
}

/* Whether it was captured from some time on, to its end. */
static bool begins_late(const struct process *p)
{
	const struct spool_def_capture *last;

	if (!p || !p->spool || !p->spool->captures.n || p->end == PROCESS_KILLED)
		return false;
	last = &p->spool->captures.at[p->spool->captures.n - 1];
	return last->is_open && last->ticks > p->spool->def.start.ticks;
}

/*
 * Messages under way when the capture begins have one end in it. All have come when it ends with the
 * program, so the last ones belong together, and what one side has more of are its first.
 */
static void late_ends_skip(struct merge *m)
{
	for (uint32_t i = 0; i < m->channels->size; i++) {
		struct merge_channel *c = &m->channels->at[i];

		if (c->comm == UINT32_MAX || c->sends_from || c->recvs_from ||
			c->sends == c->recvs ||
			(!begins_late(sender(m, c)) && !begins_late(receiver(m, c))))
			continue;
		if (c->sends < c->recvs)
			c->sends_from = c->recvs - c->sends;
		else
			c->recvs_from = c->sends - c->recvs;
		c->sends = c->recvs = c->sends > c->recvs ? c->sends : c->recvs;
	}
}

int unmatched_start(struct merge *m)
{
	late_ends_skip(m);
	m->unmatched = calloc(1, sizeof(*m->unmatched));
	if (!m->unmatched || channels_keep_unequal(m->channels) < 0) {
		log_error("out of memory");
		return -1;
	}
	pthread_mutex_init(&m->unmatched->lock, NULL);
	for (uint32_t i = 0; i < m->channels->size; i++) {
		const struct merge_channel *c = &m->channels->at[i];
		struct process *p;

		if (c->comm == UINT32_MAX)
			continue;
		if ((p = sender(m, c)))
			p->has_unmatched = true;
		if ((p = receiver(m, c)))
			p->has_unmatched = true;
	}
	return 0;
}

int unmatched_check(void *context, const struct message_end *message)
{
	struct merge *m = context;
	struct unmatched *u = m->unmatched;
	struct merge_channel *c = channel_find(m->channels, &message->channel);
	uint64_t nth;

	if (!c)
		return 0;
	nth = __atomic_fetch_add(message->is_send ? &c->sends : &c->recvs, 1, __ATOMIC_RELAXED);
	if (nth < c->matched || nth < (message->is_send ? c->recvs_from : c->sends_from))
		return 0;
	pthread_mutex_lock(&u->lock);
	u->total++;
	if (u->n < MOST_LINES &&
		spool_table_reserve((void **)&u->at, &u->size, u->n, sizeof(*u->at)))
		u->at[u->n++] = (struct lonely){ *message, nth };
	pthread_mutex_unlock(&u->lock);
	return 0;
}

bool message_is_lonely(struct merge *m, const struct process *p, uint32_t comm, bool is_send,
	int32_t peer, int32_t tag)
{
	struct merge_channel key, *c;
	uint64_t nth, from;

	if (!p->has_unmatched || !message_channel(p, comm, is_send, peer, tag, &key) ||
		!(c = channel_find(m->channels, &key)))
		return false;
	nth = __atomic_fetch_add(is_send ? &c->sent : &c->received, 1, __ATOMIC_RELAXED);
	from = is_send ? c->recvs_from : c->sends_from;
	return nth < from;
}

static int compare_lonely(const void *a, const void *b)
{
	const struct lonely *x = a, *y = b;
	const uint64_t kx[] = { x->message.channel.comm, x->message.channel.source,
		x->message.channel.dest, x->message.channel.tag, x->nth };
	const uint64_t ky[] = { y->message.channel.comm, y->message.channel.source,
		y->message.channel.dest, y->message.channel.tag, y->nth };

	for (int i = 0; i < 5; i++)
		if (kx[i] != ky[i])
			return kx[i] < ky[i] ? -1 : 1;
	return 0;
}

static uint64_t process_lost(const struct process *p)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < p->nlocations; i++) {
		lost += p->locations[i].scan.torn;
		for (int k = 0; p->locations[i].thread && k < LOSS_COUNT; k++)
			lost += p->locations[i].thread->lost[k];
	}
	return lost;
}

/* Why the other end, at process `p`, is not there. */
static void reason(char *text, size_t size, const struct process *p, bool lacks_recv)
{
	const char *what = lacks_recv ? "receive" : "send";
	uint32_t inside = 0;
	char end[64];

	for (uint32_t i = 0; p && i < p->nlocations; i++)
		if (p->locations[i].is_main)
			inside = p->locations[i].result.inside;
	if (!p)
		snprintf(text, size, "the other rank is unknown");
	else if (!p->spool)
		snprintf(text, size, "%s left no spool", p->name);
	else if (p->end == PROCESS_KILLED)
		snprintf(text, size, "%s %s%s%s%s", p->name,
			process_exit_status(p) < 0 ? "was " : "",
			process_end_text(p, end, sizeof(end)), inside ? " inside " : "",
			inside ? region_infos[inside].name : "");
	else if (process_lost(p))
		snprintf(text, size, "records of %s were lost", p->name);
	else if (p->end == PROCESS_RUNNING)
		snprintf(text, size, "%s was still running", p->name);
	else
		snprintf(text, size, "the %s is not in the trace, or its request never completed",
			what);
}

static void print_line(FILE *to, const struct merge *m, const struct lonely *l)
{
	const struct merge_channel *c = &l->message.channel;
	const struct process *from = sender(m, c), *dest = receiver(m, c);
	const char *name = m->comms[c->comm & ~SIDE].name;
	char why[256];

	reason(why, sizeof(why), l->message.is_send ? dest : from, l->message.is_send);
	fprintf(to, "%s %d -> %d comm %s tag %d bytes %" PRIu64 ": %s\n",
		l->message.is_send ? "send" : "recv", from ? from->rank : -1,
		dest ? dest->rank : -1, *name ? name : "unnamed", (int32_t)c->tag, l->message.bytes,
		why);
}

/* Brings all ranks' lines together; every rank gets all. */
static int unmatched_swap(struct unmatched *u)
{
	uint64_t *totals;
	char *all;
	size_t *sizes, sum = 0;

	if (par_allgather(u->at, u->n * sizeof(*u->at), &all, &sizes) < 0)
		return -1;
	for (int r = 0; r < par_size(); r++)
		sum += sizes[r];
	free(sizes);
	free(u->at);
	u->at = (struct lonely *)all;
	u->n = sum / sizeof(*u->at);
	if (par_allgather(&u->total, sizeof(u->total), (char **)&totals, &sizes) < 0)
		return -1;
	u->total = 0;
	for (int r = 0; r < par_size(); r++)
		u->total += totals[r];
	free(totals);
	free(sizes);
	return 0;
}

char *unmatched_text(struct merge *m, uint64_t *count)
{
	struct unmatched *u = m->unmatched;
	char *text = NULL;
	size_t size;
	FILE *to;

	*count = 0;
	if (unmatched_swap(u) < 0 || u->total == 0)
		return NULL;
	*count = u->total;
	if (u->n)
		qsort(u->at, u->n, sizeof(*u->at), compare_lonely);
	to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	for (uint32_t i = 0; i < u->n && i < MOST_LINES; i++)
		print_line(to, m, &u->at[i]);
	if (u->total > MOST_LINES)
		fprintf(to, "and %" PRIu64 " more\n", u->total - MOST_LINES);
	fclose(to);
	return text;
}

void unmatched_free(struct merge *m)
{
	if (m->channels)
		channels_free(m->channels);
	free(m->channels);
	if (m->unmatched) {
		pthread_mutex_destroy(&m->unmatched->lock);
		free(m->unmatched->at);
	}
	free(m->unmatched);
}
