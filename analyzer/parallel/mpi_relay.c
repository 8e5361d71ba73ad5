/* mpi_relay.c - see crew.h. */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
	DOZE_AFTER_NS = 20000000,
	DOZE_MS = 5,
	LULL_NS = 1000000,
};

static struct crew *present; /* guard_between() knows no argument */

uint32_t crew_readers(const struct crew *crew, int rank, uint32_t *first)
{
	*first = crew->places[rank].first;
	return crew->ranks[rank].seats;
}

uint32_t crew_readers_all(const struct crew *crew)
{
	uint32_t n = 0;

	for (int i = 0; i < crew->size; i++)
		n += crew->ranks[i].seats;
	return n;
}

/* Those of a machine sit together, that of rank 0 first. */
static void places_set(struct crew *crew)
{
	uint32_t next = 1;

	for (int leader = 0; leader < crew->size; leader++)
		for (int i = leader; i < crew->size; i++)
			if (crew->places[i].leader == leader) {
				crew->places[i].first = next;
				next += crew->ranks[i].seats;
			}
}

static bool is_leader(const struct crew *crew)
{
	return crew->places[crew->rank].leader == crew->rank;
}

/* Whose process passes on what is for a worker. */
static int leader_of(const struct crew *crew, uint32_t worker)
{
	for (int i = 0; i < crew->size; i++)
		if (worker - crew->places[i].first < crew->ranks[i].seats)
			return crew->places[i].leader;
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

	while (is_leader(crew) && link_receive(&crew->link, &note)) {
		queue_note(&crew->out[leader_of(crew, note.head.to)], &note);
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
		struct crew_queue *queue = &crew->from[from];
		char *bytes = malloc(n);

		if (!bytes)
			exit(1);
		par_receive(from, bytes, n);
		queue_add(queue, bytes, n);
		free(bytes);
		notes_sort(crew, queue);
		any = true;
	}
	for (uint32_t i = 0; is_leader(crew) && i < crew->nin; i++) {
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

/* Milliseconds that there is time for after so long without a note; sleeps shorter times itself. */
static int pause_after(int64_t quiet_ns)
{
	if (quiet_ns < SPIN_NS)
		sched_yield();
	else if (quiet_ns < DOZE_AFTER_NS)
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	else
		return DOZE_MS;
	return 0;
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
	return pause_after(now - last);
}

/*
 * What tells machines apart: their boot, and what numbers of processes and names mean on them.
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
static void machine_share(struct crew *crew, bool wished)
{
	struct crew_rank *own = &crew->ranks[crew->rank];
	cpu_set_t cpus = own->cpus;

	for (int i = 0; i < crew->size; i++) {
		uint32_t ranks = 0, share;
		cpu_set_t all;

		CPU_ZERO(&all);
		for (int k = 0; k < crew->size; k++)
			if (crew->places[k].leader == crew->places[i].leader) {
				CPU_OR(&all, &all, &crew->ranks[k].cpus);
				ranks++;
			}
		share = (uint32_t)CPU_COUNT(&all) / ranks;
		if (!wished && crew->ranks[i].seats > share)
			crew->ranks[i].seats = share ? share : 1;
		if (i == crew->rank)
			cpus = all;
	}
	if (!CPU_EQUAL(&cpus, &own->cpus))
		sched_setaffinity(0, sizeof(cpus), &cpus);
}

int crew_open(struct crew *crew, uint32_t seats, bool wished)
{
	struct crew_rank own = { .machine = machine_of(), .seats = seats, .pid = getpid() };
	char *all = NULL;
	size_t *sizes = NULL;

	*crew = (struct crew){ .rank = par_rank(), .size = par_size() };
	if (sched_getaffinity(0, sizeof(own.cpus), &own.cpus) < 0)
		CPU_ZERO(&own.cpus);
	if (par_allgather(&own, sizeof(own), &all, &sizes) < 0)
		return -1;
	free(sizes);
	crew->ranks = (struct crew_rank *)all;
	crew->places = calloc((size_t)crew->size, sizeof(*crew->places));
	crew->out = calloc((size_t)crew->size, sizeof(*crew->out));
	crew->from = calloc((size_t)crew->size, sizeof(*crew->from));
	if (par_any_failed(!crew->places || !crew->out || !crew->from)) {
		log_error("out of memory");
		return -1;
	}
	for (int i = 0; i < crew->size; i++)
		while (crew->ranks[crew->places[i].leader].machine != crew->ranks[i].machine)
			crew->places[i].leader++;
	machine_share(crew, wished);
	return 0;
}

static void queues_empty(struct crew *crew)
{
	for (uint32_t i = 0; i < crew->nin; i++)
		free(crew->in[i].at);
	free(crew->in);
	crew->in = NULL;
	crew->nin = 0;
	for (int i = 0; i < crew->size; i++) {
		crew->out[i].first = crew->out[i].n = 0;
		crew->from[i].first = crew->from[i].n = 0;
	}
}

/* What a leader tells of its rings: its file, and what stands in it. */
struct rings {
	uint64_t mark;
	int file;
};

/*
 * A leader makes the rings and the others attach. False: one of them could not, and all know.
 * Without memory it is reported.
 */
static bool rings_share(struct crew *crew, uint32_t nplaces, bool *failed)
{
	int leader = crew->places[crew->rank].leader;
	struct rings own = { .mark = (uint64_t)now_ns() << 8 ^ (uint64_t)getpid(), .file = -1 };
	char *all = NULL;
	size_t *sizes = NULL;
	bool there = true;

	*failed = leader == crew->rank &&
		link_open_file(&crew->link, nplaces, own.mark, &own.file) < 0;
	if (par_allgather(&own, sizeof(own), &all, &sizes) < 0)
		*failed = true;
	else if (leader != crew->rank)
		there = link_attach_of(&crew->link, nplaces,
				((const struct rings *)(void *)all)[leader].mark,
				crew->ranks[leader].pid,
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
static bool seats_set(struct crew *crew, bool *failed)
{
	const struct crew_seat *own = &crew->places[crew->rank];
	uint32_t n = 0, first;
	bool there;

	places_set(crew);
	for (int i = 0; i < crew->size; i++)
		n += crew->places[i].leader == own->leader ? crew->ranks[i].seats : 0;
	first = crew->places[own->leader].first;
	there = rings_share(crew, n + 2, failed);
	if (!there || *failed)
		return there;
	link_seat(&crew->link, own->leader ? 1 : 0, own->leader ? first : 0,
		own->leader ? n : n + 1);
	crew->nin = n + 2;
	crew->in = calloc(crew->nin, sizeof(*crew->in));
	*failed = par_any_failed(
		!crew->in || (is_leader(crew) && link_join(&crew->link, n + 1, UINT32_MAX) < 0));
	return true;
}

int crew_begin(struct crew *crew)
{
	bool failed = false;

	link_close(&crew->link);
	queues_empty(crew);
	crew->nended = 0;
	crew->failed = false;
	if (!seats_set(crew, &failed) && !failed) {
		/* in containers of their own: as if on machines of their own */
		link_close(&crew->link);
		for (int i = 0; i < crew->size; i++)
			crew->places[i].leader = i;
		seats_set(crew, &failed);
	}
	present = crew;
	guard_between = between;
	return failed ? -1 : 0;
}

/* What a rank says of its child. */
struct outcome {
	struct guard_end end;
	enum guard_stage stage;
	uint64_t location;
};

static void ended_tell(struct crew *crew, bool failed)
{
	struct note note = { .head = { .type = NOTE_OF_CREW, .from = failed } };
	int64_t last = now_ns();

	for (int i = 0; i < crew->size; i++)
		queue_add(&crew->out[i], &note.head, sizeof(note.head));
	while (crew->nended < crew->size) {
		bool any = notes_out(crew);
		int64_t now = now_ns();

		any |= notes_in(crew);
		last = any ? now : last;
		if (pause_after(now - last) > 0)
			nanosleep(&(struct timespec){ .tv_nsec = LULL_NS }, NULL);
	}
}

void crew_end(struct crew *crew, struct guard_end *end, struct guard *at)
{
	struct outcome own = { *end, at->stage, at->location }, *all = NULL;
	bool unwanted = crew->failed; /* it was ended because of another's */
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
	if (crew->out && crew->from)
		queues_empty(crew);
	for (int i = 0; crew->out && crew->from && i < crew->size; i++) {
		free(crew->out[i].at);
		free(crew->from[i].at);
	}
	free(crew->from);
	free(crew->out);
	free(crew->places);
	free(crew->ranks);
	link_close(&crew->link);
}
