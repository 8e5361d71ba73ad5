/* mpi_relay.c - see relay.h. */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "parallel/mpi_relay.h"
#include "base/log.h"
#include "base/par.h"
#include "base/containers.h"

enum {
	/* type of a note between the processes themselves: how a child ended */
	NOTE_OF_CREW = 1 << 30,
	BATCH = 1 << 20, /* bytes sent at once */
	SPIN_NS = 200000,
	NAP_NS = 50000,
	BACKOFF_AFTER_NS = 20000000,
	BACKOFF_MS = 5,
	POLL_PAUSE_NS = 1000000,
};

static struct relay *present; /* guard_between() knows no argument */

uint32_t relay_readers(const struct relay *relay, int rank, uint32_t *first)
{
	*first = relay->places[rank].first;
	return relay->ranks[rank].slots;
}

uint32_t relay_readers_all(const struct relay *relay)
{
	uint32_t n = 0;

	for (int i = 0; i < relay->size; i++)
		n += relay->ranks[i].slots;
	return n;
}

/* Those of a machine sit together, that of rank 0 first. */
static void places_set(struct relay *relay)
{
	uint32_t next = 1;

	for (int leader = 0; leader < relay->size; leader++)
		for (int i = leader; i < relay->size; i++)
			if (relay->places[i].leader == leader) {
				relay->places[i].first = next;
				next += relay->ranks[i].slots;
			}
}

static bool is_leader(const struct relay *relay)
{
	return relay->places[relay->rank].leader == relay->rank;
}

/* Whose process passes on what is for a worker. */
static int leader_of(const struct relay *relay, uint32_t worker)
{
	for (int i = 0; i < relay->size; i++)
		if (worker - relay->places[i].first < relay->ranks[i].slots)
			return relay->places[i].leader;
	return 0;
}

/* Without memory the others are lost, see par_lost(). */
static void queue_add(struct relay_queue *queue, const void *bytes, size_t n)
{
	if (queue->first == queue->n)
		queue->first = queue->n = 0;
	while (queue->n + n > queue->cap) {
		size_t cap = queue->cap ? 2 * queue->cap : 1 << 16;
		char *grown = realloc(queue->at, cap);

		if (!grown) {
			par_lost();
			return;
		}
		queue->at = grown;
		queue->cap = cap;
	}
	memcpy(queue->at + queue->n, bytes, n);
	queue->n += n;
}

static void queue_note(struct relay_queue *queue, const struct note *note)
{
	queue_add(queue, &note->head, sizeof(note->head));
	queue_add(queue, note->data, note_padded(note->head.size));
}

/* What workers of this machine send to those of others. */
static bool notes_out(struct relay *relay)
{
	struct note note;
	bool any = false;

	while (is_leader(relay) && link_receive(&relay->link, &note)) {
		queue_note(&relay->out[leader_of(relay, note.head.to)], &note);
		any = true;
	}
	if (link_failed(&relay->link))
		par_lost();
	for (int i = 0; i < relay->size; i++) {
		struct relay_queue *queue = &relay->out[i];

		for (size_t n; queue->first < queue->n; queue->first += n) {
			n = queue->n - queue->first;
			n = n < BATCH ? n : BATCH;
			par_send(i, queue->at + queue->first, n);
		}
	}
	return any;
}

/*
 * Bytes of a rank come in order, but notes may be split: a place gets complete ones only, in
 * whatever pieces.
 */
static void notes_sort(struct relay *relay, struct relay_queue *from)
{
	struct note_head head;

	while (from->n - from->first >= sizeof(head)) {
		size_t size;

		memcpy(&head, from->at + from->first, sizeof(head));
		size = sizeof(head) + note_padded(head.size);
		if (from->n - from->first < size)
			return;
		if (head.type == NOTE_OF_CREW) {
			relay->nended++;
			relay->failed |= head.from;
		} else {
			queue_add(&relay->in[link_place(&relay->link, head.to)],
				from->at + from->first, size);
		}
		from->first += size;
	}
}

static bool notes_in(struct relay *relay)
{
	bool any = false;
	size_t n, passed;
	int from;

	while (par_probe(&from, &n)) {
		struct relay_queue *queue = &relay->from[from];
		char *bytes = malloc(n);

		if (!bytes) {
			par_lost();
			return false;
		}
		par_receive(from, bytes, n);
		queue_add(queue, bytes, n);
		free(bytes);
		notes_sort(relay, queue);
		any = true;
	}
	for (uint32_t i = 0; is_leader(relay) && i < relay->nin; i++) {
		struct relay_queue *queue = &relay->in[i];

		if (queue->first == queue->n)
			continue;
		link_pass(&relay->link, i, queue->at + queue->first, queue->n - queue->first,
			&passed);
		queue->first += passed;
		any |= passed > 0;
	}
	return any;
}

/* Milliseconds that there is time for after so long without a note; sleeps shorter times itself. */
static int pause_after(int64_t quiet_ns)
{
	if (quiet_ns < SPIN_NS)
		sched_yield();
	else if (quiet_ns < BACKOFF_AFTER_NS)
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	else
		return BACKOFF_MS;
	return 0;
}

/* While the own child works. Milliseconds to wait for its end; -1: it is not wanted any more. */
static int between(void)
{
	static int64_t last;
	bool any = notes_out(present);
	int64_t now = clock_now_ns(CLOCK_MONOTONIC);

	any |= notes_in(present);
	if (present->failed || par_is_lost())
		return -1;
	if (any)
		last = now;
	return pause_after(now - last);
}

/*
 * What distinguishes machines: their boot, and what numbers of processes and names mean on them.
 * TACHO_APART: each rank is taken for one of its own.
 */
static uint64_t machine_of(void)
{
	static const char *const files[] = { "/proc/self/ns/pid", "/proc/self/ns/uts" };
	uint64_t hash = getenv("TACHO_APART") ? (uint64_t)par_rank() + 1 : 0;
	char boot[64] = "";
	int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (file >= 0 && read(file, boot, sizeof(boot) - 1) < 0)
		boot[0] = '\0';
	if (file >= 0)
		close(file);
	for (const char *at = boot; *at; at++)
		hash = hash_mix(hash, (unsigned char)*at);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		hash = hash_mix(hash, stat(files[i], &st) == 0 ? st.st_ino : 0);
	return boot[0] ? hash : hash_mix(hash, (uint64_t)par_rank() + 1);
}

/*
 * Ranks of a machine share what all of them may use of it: else the writer has to share the core
 * of one rank's reader, for whom the others wait.
 */
static void machine_share(struct relay *relay, bool wished)
{
	struct relay_rank *own = &relay->ranks[relay->rank];
	cpu_set_t cpus = own->cpus;

	for (int i = 0; i < relay->size; i++) {
		uint32_t ranks = 0, share;
		cpu_set_t all;

		CPU_ZERO(&all);
		for (int k = 0; k < relay->size; k++)
			if (relay->places[k].leader == relay->places[i].leader) {
				CPU_OR(&all, &all, &relay->ranks[k].cpus);
				ranks++;
			}
		share = (uint32_t)CPU_COUNT(&all) / ranks;
		if (!wished && relay->ranks[i].slots > share)
			relay->ranks[i].slots = share ? share : 1;
		if (i == relay->rank)
			cpus = all;
	}
	if (!CPU_EQUAL(&cpus, &own->cpus))
		sched_setaffinity(0, sizeof(cpus), &cpus);
}

int relay_open(struct relay *relay, uint32_t slots, bool wished)
{
	struct relay_rank own = { .machine = machine_of(), .slots = slots, .pid = getpid() };
	char *all = NULL;
	size_t *sizes = NULL;

	*relay = (struct relay){ .rank = par_rank(), .size = par_size() };
	if (sched_getaffinity(0, sizeof(own.cpus), &own.cpus) < 0)
		CPU_ZERO(&own.cpus);
	if (par_allgather(&own, sizeof(own), &all, &sizes) < 0)
		return -1;
	free(sizes);
	relay->ranks = (struct relay_rank *)all;
	relay->places = calloc((size_t)relay->size, sizeof(*relay->places));
	relay->out = calloc((size_t)relay->size, sizeof(*relay->out));
	relay->from = calloc((size_t)relay->size, sizeof(*relay->from));
	if (par_any_failed(!relay->places || !relay->out || !relay->from)) {
		log_error("out of memory");
		return -1;
	}
	for (int i = 0; i < relay->size; i++)
		while (relay->ranks[relay->places[i].leader].machine != relay->ranks[i].machine)
			relay->places[i].leader++;
	machine_share(relay, wished);
	return 0;
}

static void queues_empty(struct relay *relay)
{
	for (uint32_t i = 0; i < relay->nin; i++)
		free(relay->in[i].at);
	free(relay->in);
	relay->in = NULL;
	relay->nin = 0;
	for (int i = 0; i < relay->size; i++) {
		relay->out[i].first = relay->out[i].n = 0;
		relay->from[i].first = relay->from[i].n = 0;
	}
}

/* What a leader reports of its rings: its file, and what is in it. */
struct rings {
	uint64_t mark;
	int file;
};

/*
 * A leader makes the rings and the others attach. False: one of them could not, and all know.
 * Without memory it is reported.
 */
static bool rings_share(struct relay *relay, uint32_t nplaces, bool *failed)
{
	int leader = relay->places[relay->rank].leader;
	struct rings own = { .mark = (uint64_t)clock_now_ns(CLOCK_MONOTONIC) << 8 ^
			(uint64_t)getpid(),
		.file = -1 };
	char *all = NULL;
	size_t *sizes = NULL;
	bool there = true;

	*failed = leader == relay->rank &&
		link_open_file(&relay->link, nplaces, own.mark, &own.file) < 0;
	if (par_allgather(&own, sizeof(own), &all, &sizes) < 0)
		*failed = true;
	else if (leader != relay->rank)
		there = link_attach_of(&relay->link, nplaces,
				((const struct rings *)(void *)all)[leader].mark,
				relay->ranks[leader].pid,
				((const struct rings *)(void *)all)[leader].file) == 0;
	free(all);
	free(sizes);
	*failed = par_any_failed(*failed);
	there = !par_any_failed(!there);
	if (own.file >= 0)
		close(own.file);
	return there;
}

/* Places of this machine: the writer's, those of its readers, and the process that leads. */
static bool slots_set(struct relay *relay, bool *failed)
{
	const struct relay_slot *own = &relay->places[relay->rank];
	uint32_t n = 0, first;
	bool there;

	places_set(relay);
	for (int i = 0; i < relay->size; i++)
		n += relay->places[i].leader == own->leader ? relay->ranks[i].slots : 0;
	first = relay->places[own->leader].first;
	there = rings_share(relay, n + 2, failed);
	if (!there || *failed)
		return there;
	link_slot(&relay->link, own->leader ? 1 : 0, own->leader ? first : 0,
		own->leader ? n : n + 1);
	relay->nin = n + 2;
	relay->in = calloc(relay->nin, sizeof(*relay->in));
	*failed = par_any_failed(
		!relay->in || (is_leader(relay) && link_join(&relay->link, n + 1, UINT32_MAX) < 0));
	return true;
}

int relay_begin(struct relay *relay)
{
	bool failed = false;

	link_close(&relay->link);
	queues_empty(relay);
	relay->nended = 0;
	relay->failed = false;
	if (!slots_set(relay, &failed) && !failed) {
		/* in containers of their own: as if on machines of their own */
		link_close(&relay->link);
		for (int i = 0; i < relay->size; i++)
			relay->places[i].leader = i;
		slots_set(relay, &failed);
	}
	present = relay;
	guard_between = between;
	return failed ? -1 : 0;
}

/* What a rank says of its child. */
struct outcome {
	struct guard_end end;
	enum guard_stage stage;
	uint64_t location;
	bool alone, cut;
	int64_t cut_ns;
};

static void ended_send(struct relay *relay, bool failed)
{
	struct note note = { .head = { .type = NOTE_OF_CREW, .from = failed } };
	int64_t last = clock_now_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < relay->size; i++)
		queue_add(&relay->out[i], &note.head, sizeof(note.head));
	while (relay->nended < relay->size && !par_is_lost()) {
		bool any = notes_out(relay);
		int64_t now = clock_now_ns(CLOCK_MONOTONIC);

		any |= notes_in(relay);
		last = any ? now : last;
		if (pause_after(now - last) > 0)
			nanosleep(&(struct timespec){ .tv_nsec = POLL_PAUSE_NS }, NULL);
	}
}

void relay_end(struct relay *relay, struct guard_end *end, struct guard *at)
{
	struct outcome own = { *end, at->stage, at->location, at->alone, at->cut, at->cut_ns },
		       *all = NULL;
	bool unwanted = relay->failed; /* it was ended because of another's */
	size_t *sizes = NULL;

	guard_between = NULL;
	own.end.ended &= !unwanted;
	ended_send(relay, end->status < 0);
	par_barrier();
	if (par_allgather(&own, sizeof(own), (char **)&all, &sizes) < 0) {
		*end = (struct guard_end){ .status = -1 };
		return;
	}
	for (int i = 0; i < relay->size; i++) {
		at->alone |= all[i].alone;
		if (all[i].cut)
			at->cut_ns = all[i].cut_ns;
		at->cut |= all[i].cut;
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

void relay_close(struct relay *relay)
{
	if (relay->out && relay->from)
		queues_empty(relay);
	for (int i = 0; relay->out && relay->from && i < relay->size; i++) {
		free(relay->out[i].at);
		free(relay->from[i].at);
	}
	free(relay->from);
	free(relay->out);
	free(relay->places);
	free(relay->ranks);
	link_close(&relay->link);
}
