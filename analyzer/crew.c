/* crew.c - see crew.h. */
#include "config.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crew.h"
#include "log.h"
#include "par.h"

enum {
	/* type of a note between the processes themselves: how a child ended */
	NOTE_OF_CREW = 1 << 30,
	BATCH = 1 << 20,		/* bytes sent at once */
	SPIN_NS = 200000, NAP_NS = 50000, DOZE_AFTER_NS = 20000000, DOZE_MS = 5,
};

static struct crew *present;		/* guard_between() knows no argument */

uint32_t crew_readers(const struct crew *crew, int rank, uint32_t *first)
{
	*first = 1;
	for (int i = 0; i < rank; i++)
		*first += crew->seats[i];
	return crew->seats[rank];
}

static int rank_of(const struct crew *crew, uint32_t worker)
{
	uint32_t behind = 1;

	for (int i = 0; i < crew->size; i++)
		if (worker < (behind += crew->seats[i]))
			return i;
	return 0;
}

static void queue_add(struct crew_queue *queue, const void *bytes, size_t n)
{
	if (queue->first == queue->n)
		queue->first = queue->n = 0;
	while (queue->n + n > queue->cap) {
		size_t cap = queue->cap ? 2 * queue->cap : 1 << 16;
		char *grown = realloc(queue->at, cap);

		if (!grown) {
			log_error("out of memory for what the processes tell each other");
			exit(1);
		}
		queue->at = grown;
		queue->cap = cap;
	}
	memcpy(queue->at + queue->n, bytes, n);
	queue->n += n;
}

static void queue_note(struct crew_queue *queue, const struct note *note)
{
	queue_add(queue, &note->head, sizeof(note->head));
	queue_add(queue, note->data, note_padded(note->head.size));
}

/* What workers of this machine tell those of others. */
static bool notes_out(struct crew *crew)
{
	struct note note;
	bool any = false;

	while (link_receive(&crew->link, &note)) {
		queue_note(&crew->out[rank_of(crew, note.head.to)], &note);
		any = true;
	}
	for (int i = 0; i < crew->size; i++) {
		struct crew_queue *queue = &crew->out[i];

		for (size_t n; queue->first < queue->n; queue->first += n) {
			n = queue->n - queue->first;
			n = n < BATCH ? n : BATCH;
			par_send(i, queue->at + queue->first, n);
		}
	}
	return any;
}

/*
 * Bytes of a rank come in order, but notes may be cut: a place gets whole ones only, in whatever
 * pieces.
 */
static void notes_sort(struct crew *crew, struct crew_queue *from)
{
	struct note_head head;

	while (from->n - from->first >= sizeof(head)) {
		size_t size;

		memcpy(&head, from->at + from->first, sizeof(head));
		size = sizeof(head) + note_padded(head.size);
		if (from->n - from->first < size)
			return;
		if (head.type == NOTE_OF_CREW) {
			crew->nended++;
			crew->failed |= head.from;
		} else {
			queue_add(&crew->in[link_place(&crew->link, head.to)],
				from->at + from->first, size);
		}
		from->first += size;
	}
}

static bool notes_in(struct crew *crew)
{
	bool any = false;
	size_t n, passed;
	int from;

	while (par_probe(&from, &n)) {
		struct crew_queue *queue = &crew->in[crew->link.nplaces + (uint32_t)from];
		char *bytes = malloc(n);

		if (!bytes)
			exit(1);
		par_receive(from, bytes, n);
		queue_add(queue, bytes, n);
		free(bytes);
		notes_sort(crew, queue);
		any = true;
	}
	for (uint32_t i = 0; i + 1 < crew->link.nplaces; i++) {
		struct crew_queue *queue = &crew->in[i];

		if (queue->first == queue->n)
			continue;
		link_pass(&crew->link, i, queue->at + queue->first, queue->n - queue->first,
			&passed);
		queue->first += passed;
		any |= passed > 0;
	}
	return any;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* While the own child works. Milliseconds to wait for its end; -1: it is not wanted any more. */
static int between(void)
{
	static int64_t last;
	bool any = notes_out(present);
	int64_t now = now_ns();

	any |= notes_in(present);
	if (present->failed)
		return -1;
	if (any)
		last = now;
	if (now - last < SPIN_NS)
		sched_yield();
	else if (now - last < DOZE_AFTER_NS)
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	else
		return DOZE_MS;
	return 0;
}

int crew_open(struct crew *crew, uint32_t seats)
{
	char *all = NULL;
	size_t *sizes = NULL;

	*crew = (struct crew){ .rank = par_rank(), .size = par_size() };
	if (par_allgather(&seats, sizeof(seats), &all, &sizes) < 0)
		return -1;
	free(sizes);
	crew->seats = (uint32_t *)all;
	crew->out = calloc((size_t)crew->size, sizeof(*crew->out));
	crew->in = calloc((size_t)crew->size + seats + 2, sizeof(*crew->in));
	if (par_any_failed(!crew->out || !crew->in)) {
		log_error("out of memory");
		return -1;
	}
	return 0;
}

static void queues_empty(struct crew *crew)
{
	for (uint32_t i = 0; i < (uint32_t)crew->size + crew->seats[crew->rank] + 2; i++)
		crew->in[i].first = crew->in[i].n = 0;
	for (int i = 0; i < crew->size; i++)
		crew->out[i].first = crew->out[i].n = 0;
}

int crew_begin(struct crew *crew)
{
	uint32_t first, seats = crew_readers(crew, crew->rank, &first);
	int failed;

	link_close(&crew->link);
	queues_empty(crew);
	crew->nended = 0;
	crew->failed = false;
	failed = link_open(&crew->link, seats + 2) < 0 ||
		link_join(&crew->link, seats + 1, UINT32_MAX) < 0;
	link_seat(&crew->link, crew->rank ? 1 : 0, crew->rank ? first : 0,
		crew->rank ? seats : seats + 1);
	present = crew;
	guard_between = between;
	return par_any_failed(failed) ? -1 : 0;
}

/* What a rank says of its child. */
struct outcome { struct guard_end end; enum guard_stage stage; uint64_t location; };

static void ended_tell(struct crew *crew, bool failed)
{
	struct note note = { .head = { .type = NOTE_OF_CREW, .from = failed } };

	for (int i = 0; i < crew->size; i++)
		queue_add(&crew->out[i], &note.head, sizeof(note.head));
	while (crew->nended < crew->size) {
		notes_out(crew);
		if (!notes_in(crew))
			sched_yield();
	}
}

void crew_end(struct crew *crew, struct guard_end *end, struct guard *at)
{
	struct outcome own = { *end, at->stage, at->location }, *all = NULL;
	bool unwanted = crew->failed;	/* it was ended because of another's */
	size_t *sizes = NULL;

	guard_between = NULL;
	own.end.ended &= !unwanted;
	ended_tell(crew, end->status < 0);
	par_barrier();
	if (par_allgather(&own, sizeof(own), (char **)&all, &sizes) < 0) {
		end->status = -1;
		return;
	}
	for (int i = 0; i < crew->size; i++) {
		if (all[i].end.status == 0 || (end->ended && !all[i].end.ended))
			continue;
		*end = all[i].end;
		at->stage = all[i].stage;
		at->location = all[i].location;
		if (end->ended)
			break;
	}
	free(all);
	free(sizes);
}

void crew_close(struct crew *crew)
{
	for (uint32_t i = 0; crew->in && i < (uint32_t)crew->size + crew->seats[crew->rank] + 2;
	     i++)
		free(crew->in[i].at);
	for (int i = 0; crew->out && i < crew->size; i++)
		free(crew->out[i].at);
	free(crew->in);
	free(crew->out);
	free(crew->seats);
	link_close(&crew->link);
}
